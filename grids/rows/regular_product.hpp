#pragma once

#include <utility>

#include "grids/rows/box_stencil.hpp"
#include "grids/rows/galerkin_formulas.hpp"

namespace poisson {

/// Calls f(Number<n>()) for the numbers from `first` to `last` − 1 that satisfy keep(n). Functors of other numbers are
/// not instantiated, which takes most of the compile time of long loops.
template <int first, int last, class Keep, class F>
[[gnu::always_inline]] constexpr void unrolled_where(Keep, const F& f) {
  constexpr auto list = [] {
    struct {
      int at[last - first] = {}, count = 0;
    } kept;
    for (int n = first; n < last; ++n)
      if (Keep{}(n)) kept.at[kept.count++] = n;
    return kept;
  }();
  [&]<int... n>(std::integer_sequence<int, n...>) __attribute__((always_inline)) {
    (f(Number<list.at[n]>()), ...);
  }
  (std::make_integer_sequence<int, list.count>());
}

/// Computes the weights and coarse rows of GalerkinProduct for coarse values whose coarse neighbours are two fine
/// values away, or one along the axis `kept` if the level keeps an axis. Every loop is unrolled and every offset is a
/// constant, so sums stay in registers. The order of operations is that of GalerkinProduct. `star` selects fine levels
/// of 5 or 7 points; otherwise they have 9 or 27.
template <int dimension, bool star, int kept = -1>
struct RegularProduct {
  /// Returns whether the fine level has exactly these couplings, and whether exactly the axis `kept` is kept.
  static constexpr bool serves(const GalerkinProduct& c) {
    int count = 0;
    for (int d = 0; d < dimension; ++d)
      if (c.coarsened[d] == (d == kept)) return false;
    for (int q = 14; q < 27; ++q) {
      if (linked(q) != (c.band[q - 14].data != nullptr)) return false;
      count += linked(q) ? 2 : 0;
    }
    return c.links == count && (c.fine_n[2] == 1) == (dimension == 2);
  }
  /// Returns whether the formulas apply to coarse value I along an axis.
  static constexpr bool regular(const GalerkinProduct& c, int d, int I) {
    if (d >= dimension) return true;
    const int* const at = c.centre[d] + I;
    if (at[-1] == GalerkinProduct::none || at[1] == GalerkinProduct::none || at[0] - at[-1] != step(d) ||
        at[1] - at[0] != step(d))
      return false;
    return !c.periodic[d] || (at[0] >= 1 && at[0] + 1 < c.fine_n[d]);
  }

  /// Does all stages of GalerkinProduct::weigh.
  static constexpr void weigh(const GalerkinProduct& c, int I, int J, int K) {
    const int f[3] = {c.centre[0][I], c.centre[1][J], c.centre[2][K]};
    double w[27] = {};
    unrolled<1, dimension + 1>([&](auto s) __attribute__((always_inline)) {
      unrolled<0, 27>([&](auto n) __attribute__((always_inline)) {
        constexpr int stage = decltype(s)::value, code = decltype(n)::value;
        if constexpr (weighted(code) && between(code) == stage) {
          w[code] = share<code>(c, w, f, I, J, K);
          c.weight[code](I, J, K) = w[code];
        }
      });
    });
  }

  /// Does the same as GalerkinProduct::multiply.
  static constexpr void product(const GalerkinProduct& c, int I, int J, int K) {
    const int f[3] = {c.centre[0][I], c.centre[1][J], c.centre[2][K]};
    double w[27] = {}, rows = 0, coupled[13] = {};
    unrolled<0, 27>([&](auto n) __attribute__((always_inline)) {
      constexpr int code = decltype(n)::value;
      if constexpr (weighted(code)) {
        w[code] = code == 13 ? 1 : c.weight[code](I, J, K);
        rows += w[code] * c.sum(f[0] + offset_of(code, 0), f[1] + offset_of(code, 1), f[2] + offset_of(code, 2));
      }
    });
    c.coarse_sum(I, J, K) = rows;
    const auto is_used = [](int t) { return is_wanted(t); };
    unrolled_where<0, 125>(
        is_used, [&](auto n) __attribute__((always_inline)) {
          constexpr int t = decltype(n)::value;
          const double product = product_at<t>(c, w, f);
          const auto is_reached = [](int next) { return exists(next) && parent_of(t, next) >= 0; };
          unrolled_where<14, 27>(
              is_reached, [&](auto to) __attribute__((always_inline)) {
                constexpr int next = decltype(to)::value, from = parent_of(t, next);
                const double v =
                    from == 13 ? 1
                               : c.weight[from](I + offset_of(next, 0), J + offset_of(next, 1), K + offset_of(next, 2));
                coupled[next - 14] -= product * v;
              });
        });
    unrolled<14, 27>([&](auto to) __attribute__((always_inline)) {
      constexpr int next = decltype(to)::value;
      if constexpr (exists(next)) c.coarse_band[next - 14](I, J, K) = coupled[next - 14];
    });
  }

 private:
  static constexpr int between(int code) {
    return (offset_of(code, 0) != 0) + (offset_of(code, 1) != 0) + (offset_of(code, 2) != 0);
  }
  static constexpr bool exists(int code) { return dimension == 3 || offset_of(code, 2) == 0; }
  // Returns whether fine values at this offset from a coarse value may have a weight.
  static constexpr bool weighted(int code) { return exists(code) && (kept < 0 || offset_of(code, kept) == 0); }
  // Returns the distance of coarse neighbours in fine values.
  static constexpr int step(int d) { return d == kept ? 1 : 2; }
  static constexpr bool linked(int code) { return exists(code) && code != 13 && (!star || between(code) == 1); }
  // Numbers t < 125 encode offsets of up to 2. `difference` returns the code of the offset of t minus the offset of a
  // code, or −1 if that offset has no code. `parent_of` does so for a coarse neighbour, of which the fine value at t
  // must have a weight.
  static constexpr int offset_of_t(int t, int d) { return (d == 0 ? t % 5 : d == 1 ? t / 5 % 5 : t / 25) - 2; }
  static constexpr int code_between(int t, int code, const int (&steps)[3]) {
    int o[3] = {};
    for (int d = 0; d < 3; ++d) {
      o[d] = offset_of_t(t, d) - steps[d] * offset_of(code, d);
      if (o[d] < -1 || o[d] > 1) return -1;
    }
    return code_of(o[0], o[1], o[2]);
  }
  static constexpr int difference(int t, int code) { return code_between(t, code, {1, 1, 1}); }
  static constexpr int parent_of(int t, int next) {
    const int from = code_between(t, next, {step(0), step(1), step(2)});
    return from >= 0 && weighted(from) ? from : -1;
  }
  // Returns whether an entry at t contributes to a stored coarse coupling.
  static constexpr bool is_wanted(int t) {
    if (dimension == 2 && offset_of_t(t, 2) != 0) return false;
    for (int next = 14; next < 27; ++next)
      if (exists(next) && parent_of(t, next) >= 0) return true;
    return false;
  }
  static constexpr bool leads_away(int o, int q) {
    for (int d = 0; d < 3; ++d)
      if (offset_of(o, d) != 0 && offset_of(q, d) != 0) return true;
    return false;
  }
  // Returns the code of the remaining offset after a step along q from offset o, or −1 if q leads away from the coarse
  // value.
  static constexpr int rest_of(int o, int q) {
    int rest[3] = {};
    for (int d = 0; d < 3; ++d) {
      const int own = offset_of(o, d), to = own == 0 ? 0 : offset_of(q, d);
      if (to != 0 && to != -own) return -1;
      rest[d] = own + to;
    }
    return code_of(rest[0], rest[1], rest[2]);
  }

  // Returns coupling q of the fine value at offset o from f.
  template <int o, int q>
  [[gnu::always_inline]] static constexpr double coupling(const GalerkinProduct& c, const int (&f)[3]) {
    constexpr int back = q > 13 ? 13 : q, x = offset_of(o, 0) + offset_of(back, 0),
                  y = offset_of(o, 1) + offset_of(back, 1), z = offset_of(o, 2) + offset_of(back, 2);
    return c.band[q > 13 ? q - 14 : 12 - q](f[0] + x, f[1] + y, f[2] + z);
  }
  // Calls visit(Number<q>()) for all couplings, in the order of GalerkinProduct::link.
  template <class Visit>
  [[gnu::always_inline]] static constexpr void for_links(const Visit& visit) {
    const auto is_linked = [](int q) { return linked(q); };
    unrolled_where<14, 27>(
        is_linked, [&](auto n) __attribute__((always_inline)) {
          visit(n);
          visit(Number<26 - decltype(n)::value>());
        });
  }

  // Returns the entry of row f of PᵀA at distance t.
  template <int t>
  [[gnu::always_inline]] static constexpr double product_at(const GalerkinProduct& c, const double (&w)[27],
                                                            const int (&f)[3]) {
    double product = 0;
    const auto adds = [](int o) {
      const int q = difference(t, o);
      return weighted(o) && (q == 13 || (q >= 0 && linked(q)));
    };
    unrolled_where<0, 27>(
        adds, [&](auto n) __attribute__((always_inline)) {
          constexpr int o = decltype(n)::value, q = difference(t, o);
          if constexpr (q == 13) {
            double diagonal = c.sum(f[0] + offset_of(o, 0), f[1] + offset_of(o, 1), f[2] + offset_of(o, 2));
            for_links([&](auto l)
                          __attribute__((always_inline)) { diagonal += coupling<o, decltype(l)::value>(c, f); });
            product += w[o] * diagonal;
          } else {
            product -= w[o] * coupling<o, q>(c, f);
          }
        });
    return product;
  }

  // Does the same as GalerkinProduct::add_eliminated.
  template <int o, int q, class Add>
  [[gnu::always_inline]] static constexpr void add_eliminated(const GalerkinProduct& c, const int (&f)[3],
                                                              const Add& add) {
    constexpr int there = code_of(offset_of(o, 0) + offset_of(q, 0), offset_of(o, 1) + offset_of(q, 1),
                                  offset_of(o, 2) + offset_of(q, 2));
    const double a = coupling<o, q>(c, f);
    if (a == 0) return;  // the neighbour may not exist
    double diagonal = 0;
    for_links([&](auto n) __attribute__((always_inline)) { diagonal += coupling<there, decltype(n)::value>(c, f); });
    if (!(diagonal > 0)) return;
    for_links([&](auto n) __attribute__((always_inline)) {
      if constexpr (constexpr int next = decltype(n)::value; leads_away(o, next))
        add(n, a * coupling<there, next>(c, f) / diagonal);
    });
  }

  // Does the same as GalerkinProduct::share.
  template <int o>
  [[gnu::always_inline]] static constexpr double share(const GalerkinProduct& c, const double (&w)[27],
                                                       const int (&f)[3], int I, int J, int K) {
    double taken = 0, all = 0, size = 0, beside = 0;
    const auto add = [&](auto n, double a) __attribute__((always_inline)) {
      constexpr int rest = rest_of(o, decltype(n)::value);
      all += a;
      size += a < 0 ? -a : a;
      if constexpr (rest == 13)
        taken += a;
      else if constexpr (rest >= 0)
        taken += a * w[rest];
    };
    for_links([&](auto n) __attribute__((always_inline)) {
      constexpr int q = decltype(n)::value;
      if constexpr (leads_away(o, q))
        add(n, coupling<o, q>(c, f));
      else
        beside += coupling<o, q>(c, f);
    });
    if (all < GalerkinProduct::weak * beside) {
      if constexpr (!star) return c.share_beside(o, f, I, J, K);
      for_links([&](auto n) __attribute__((always_inline)) {
        constexpr int q = decltype(n)::value;
        if constexpr (!leads_away(o, q)) add_eliminated<o, q>(c, f, add);
      });
    }
    if (all <= 1e-3 * size) return GalerkinProduct::even_share(between(o));
    return taken / all;
  }
};

/// `with_regular_product` calls visit with the RegularProduct that serves the product, or with NoRegularProduct.
struct NoRegularProduct {
  static constexpr bool regular(const GalerkinProduct&, int, int) { return false; }
  static constexpr void weigh(const GalerkinProduct&, int, int, int) {}
  static constexpr void product(const GalerkinProduct&, int, int, int) {}
};
template <class Visit>
void with_regular_product(const GalerkinProduct& c, const Visit& visit) {
  bool visited = false;
  const auto attempt = [&]<class Regular>(Regular product) {
    if (visited || !Regular::serves(c)) return;
    visit(product);
    visited = true;
  };
  const auto attempt_kept = [&]<int kept>(Number<kept>) {
    attempt(RegularProduct<3, true, kept>());
    attempt(RegularProduct<3, false, kept>());
  };
  attempt_kept(Number<-1>());
  attempt(RegularProduct<2, true>());
  attempt(RegularProduct<2, false>());
  attempt_kept(Number<0>());
  attempt_kept(Number<1>());
  attempt_kept(Number<2>());
  if (!visited) visit(NoRegularProduct());
}

/// `weigh_any` computes the weights of a coarse value, `multiply_any` its row.
template <class Regular>
constexpr void weigh_any(const GalerkinProduct& c, int I, int J, int K) {
  if (Regular::regular(c, 0, I) && Regular::regular(c, 1, J) && Regular::regular(c, 2, K))
    return Regular::weigh(c, I, J, K);
  for (int stage = 1; stage <= 3; ++stage) c.weigh(stage, I, J, K);
}
template <class Regular>
constexpr void multiply_any(const GalerkinProduct& c, int I, int J, int K) {
  if (Regular::regular(c, 0, I) && Regular::regular(c, 1, J) && Regular::regular(c, 2, K))
    return Regular::product(c, I, J, K);
  c.multiply(I, J, K);
}

}  // namespace poisson
