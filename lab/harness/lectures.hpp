#pragma once

#include <array>
#include <string_view>

namespace poisson::lab {

/// Names the lectures whose claims the studies test on today's devices; `today` stands for everything since.
enum class Lecture { filipovic, goeddeke, optimizing, textures, choi, today };

struct LectureTitle {
  Lecture lecture;
  std::string_view author, title;
};
/// The order is that of the page's contents.
inline constexpr std::array lecture_titles{
    LectureTitle{Lecture::filipovic, "Jiří Filipovič", "Výkon GPU hardware"},
    LectureTitle{Lecture::goeddeke, "Dominik Göddeke", "GPGPU: Performance"},
    LectureTitle{Lecture::optimizing, "", "CUDA 學習優化思路"},
    LectureTitle{Lecture::textures, "", "NVidia 8800GTX: скорость чтения текстур"},
    LectureTitle{Lecture::choi, "Jee Choi", "CUDA Deep Dive: Performance"},
    LectureTitle{Lecture::today, "", "Since then"},
};

/// Returns the row of a lecture, for example "Jee Choi, CUDA Deep Dive: Performance".
constexpr const LectureTitle& title_of(Lecture lecture) {
  for (const LectureTitle& title : lecture_titles)
    if (title.lecture == lecture) return title;
  return lecture_titles.back();
}

}  // namespace poisson::lab
