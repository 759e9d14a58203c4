#include "lab/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "backends/processes/wait_policy.hpp"
#include "lab/harness/selection.hpp"
#include "lab/harness/session.hpp"
#include "lab/page/agreement.hpp"
#include "lab/page/draw.hpp"
#include "lab/page/report.hpp"

namespace poisson::lab {
namespace {

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

// Wraps text into lines of at most `width` characters, and indents continuation lines like the text after the bullet.
std::string wrapped(std::string_view text, std::string_view bullet, std::size_t width = 110) {
  std::string all(bullet), line;
  const std::string indent(bullet.size(), ' ');
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.empty() && bullet.size() + line.size() + 1 + word.size() > width) {
      all += line + '\n' + indent;
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + line + '\n';
}

std::string described(const Outcome& outcome) {
  std::string text;
  for (const Panel& panel : outcome.findings.panels) {
    text += panel.title + " [" + panel.y_label + "]\n" + text_table(panel);
    for (const Guide& guide : panel.guides)
      if (guide.points.size() == 1) text += "  " + guide.name + ": " + readable_value(guide.points[0][1]) + '\n';
    text += '\n';
  }
  for (const std::string& conclusion : outcome.findings.conclusions) text += wrapped(conclusion, "* ");
  bool first = true;
  for (std::size_t i = 0; i < outcome.findings.today.size(); ++i) {
    const Historical& then = outcome.study->history[i];
    if (!std::isfinite(outcome.findings.today[i])) continue;  // needs another device
    text += first ? "\nThen and now:\n" : "";
    first = false;
    text += wrapped(std::string(then.device) + ", " + std::string(then.what) + ": " + readable_then(then) +
                        "; here: " + readable_value(outcome.findings.today[i]),
                    "- ");
  }
  char seconds[40];
  std::snprintf(seconds, sizeof seconds, "\n(%.1f s)\n\n", outcome.seconds);
  return text + seconds;
}

std::string heading(const Study& study) {
  std::string text(study.name);
  text.append(": ").append(study.question);
  return text + '\n' + std::string(std::min<std::size_t>(text.size(), 110), '-') + "\n\n";
}

void run_study(const Study& study, Session& session, Report& report) {
  print(heading(study));
  const auto start = std::chrono::steady_clock::now();
  try {
    Panels panels = study.measure(session);
    for (Panel& panel : panels) panel.noise = std::max(panel.noise, session.noise());  // a study may know of more
    Findings findings = findings_of(study, std::move(panels), session.machine());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    report.outcomes.push_back({&study, std::move(findings), seconds.count()});
    print(described(report.outcomes.back()));
  } catch (const RunError& error) {  // the other studies still run
    report.failed.push_back({&study, error.what()});
    std::fprintf(stderr, "poisson-lab: %s\n", error.what());
    print("FAILED\n\n");
  }
}

}  // namespace

void list() {
  for (const Study& study : studies()) {
    std::string bullet(study.name);
    bullet.resize(13, ' ');
    print(wrapped(std::string(study.question) + (study.needs_gpu ? " [needs a GPU]" : ""), bullet));
  }
#ifndef POISSON_HAVE_CUDA
  print("The studies that need a GPU are not here (this build has no CUDA): build with a CUDA toolkit.\n");
#endif
}

int run(const Command& command) {
  std::string note;
  Session session(command.device, command.quick, &note);
  if (!session.on_gpu())
    wait_passively();  // spinning threads would take cores from other processes and from each
                       // other
  const Selection selection = select_studies(command.studies, studies(), session.on_gpu());
  if (command.broken) session.add_broken_variant();
  clear_output(command.output);
  print("on " + session.backend().device() + (note.empty() ? "" : ": " + note) + "\n");
  for (const Study* study : selection.left_out) print("left out: " + std::string(study->name) + " (it needs a GPU)\n");

  Report report{.device = session.backend().device(),
                .quick = command.quick,
                .machine = session.machine(),
                .facts = facts_of(session.backend(), session.machine())};
  for (const Fact& fact : report.facts) print(fact.what + ": " + fact.value + "\n");
  print("a copy beyond all caches reads and writes " + readable_value(report.machine.copy) + " GB/s\n\n");
  for (const Study* study : selection.left_out) report.left_out.push_back({study, "it needs a GPU"});
  for (const Study* study : selection.chosen) run_study(*study, session, report);

  write_report(report, command.output);
  print("tables and numbers: " + command.output.string() + "\n" + draw_page(command.output) + "\n");
  if (report.failed.empty()) return exit_status::success;
  std::string names;
  for (const Omission& failed : report.failed) names += (names.empty() ? "" : ", ") + std::string(failed.study->name);
  std::fprintf(stderr, "poisson-lab: failed: %s (see above): no time of these is shown\n", names.c_str());
  return exit_status::failure;
}

int page(const Command& command) {
  const Report report = read_report(command.files.front(), studies());
  clear_output(command.output);
  write_report(report, command.output);
  print("tables and numbers: " + command.output.string() + "\n" + draw_page(command.output) + "\n");
  return exit_status::success;
}

int compare(const Command& command) {
  const Report first = read_report(command.files[0], studies()), second = read_report(command.files[1], studies());
  const std::vector<Disagreement> found = disagreements(first, second);
  std::size_t sentences = 0;
  for (const Outcome& outcome : first.outcomes) sentences += outcome.findings.conclusions.size();
  for (const Disagreement& one : found)
    print(one.study + "\n" + wrapped(one.first.empty() ? "(nothing)" : one.first, "  first:  ") +
          wrapped(one.second.empty() ? "(nothing)" : one.second, "  second: ") + '\n');
  print(std::to_string(found.size()) + " of " + std::to_string(sentences) + " sentences are not confirmed\n");
  return found.empty() ? exit_status::success : exit_status::failure;
}

}  // namespace poisson::lab
