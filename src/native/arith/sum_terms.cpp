#include "native/arith/sum_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <ATen/EmptyTensor.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/permute_native.h>
#include <fmt/format.h>

#include "native/arith/range.h"
#include "native/arith/snap.h"

namespace ordercheck::ranks {
namespace {

// The layout of a sum over one dim of a contiguous tensor: `outer` blocks of `length` rows of `inner` numbers; the rows of a
// block are added.
struct Layout {
  int64_t outer = 1, length = 1, inner = 1;
};

template <Term kTerm>
double term_of(double x) {
  if constexpr (kTerm == Term::magnitude) return std::fabs(x);
  if constexpr (kTerm == Term::square) return x * x;
  return x;
}

struct Extent {
  double largest_term = 0;  // of |terms|; skips NaN, which shows in the sum
  double largest_sum = 0;   // the largest sum of |terms| over all results
};

template <Term kTerm>
void add_rows(const double* in, double* out, Layout layout, double c, Extent& extent) {
  for (int64_t i = 0; i < layout.outer; ++i) {
    const double* row = in + i * layout.length;
    double sum = 0, magnitudes = 0, top = 0;
#pragma omp simd reduction(+ : sum, magnitudes) reduction(max : top)
    for (int64_t k = 0; k < layout.length; ++k) {
      const double value = term_of<kTerm>(row[k]);
      // Round to the grid (snap.h).
      const double term = (value + c) - c;
      sum += term;
      magnitudes += std::fabs(term);
      top = std::fabs(value) > top ? std::fabs(value) : top;
    }
    out[i] = sum;
    keep_largest(magnitudes, extent.largest_sum);
    keep_largest(top, extent.largest_term);
  }
}

template <Term kTerm>
void add_columns(const double* in, double* out, Layout layout, double c, Extent& extent) {
  std::vector<double> magnitudes(layout.inner);
  double top = 0;
  for (int64_t i = 0; i < layout.outer; ++i) {
    std::fill(magnitudes.begin(), magnitudes.end(), 0.0);
    double* const sums = out + i * layout.inner;
    std::fill(sums, sums + layout.inner, 0.0);
    for (int64_t k = 0; k < layout.length; ++k) {
      const double* row = in + (i * layout.length + k) * layout.inner;
#pragma omp simd reduction(max : top)
      for (int64_t j = 0; j < layout.inner; ++j) {
        const double value = term_of<kTerm>(row[j]);
        const double term = (value + c) - c;
        sums[j] += term;
        magnitudes[j] += std::fabs(term);
        top = std::fabs(value) > top ? std::fabs(value) : top;
      }
    }
    for (const double sum : magnitudes) keep_largest(sum, extent.largest_sum);
  }
  extent.largest_term = top;
}

template <Term kTerm>
void add(const double* in, double* out, Layout layout, double c, Extent& extent) {
  if (layout.inner == 1)
    add_rows<kTerm>(in, out, layout, c, extent);
  else
    add_columns<kTerm>(in, out, layout, c, extent);
}

std::vector<bool> summed_dims(const at::Tensor& x, at::OptionalIntArrayRef dims) {
  std::vector<bool> summed(x.dim(), !dims.has_value() || dims->empty());
  if (dims.has_value()) {
    for (const int64_t dim : *dims) {
      const int64_t place = at::maybe_wrap_dim(dim, x.dim());
      if (x.dim() > 0) summed[place] = true;
    }
  }
  return summed;
}

bool follow_each_other(const std::vector<bool>& summed) {
  const auto first = std::find(summed.begin(), summed.end(), true);
  const auto after = std::find(first, summed.end(), false);
  return std::find(after, summed.end(), true) == summed.end();
}

// Returns the layout for a sum over the dims marked in `summed`, which must be adjacent.
Layout layout_of(const at::Tensor& x, const std::vector<bool>& summed) {
  Layout layout;
  bool met = false;
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (summed[i]) {
      layout.length *= x.size(i);
      met = true;
    } else {
      (met ? layout.inner : layout.outer) *= x.size(i);
    }
  }
  return layout;
}

void note(const Extent& extent, int bits, const char* what) {
  if (extent.largest_term >= std::ldexp(1.0, 51 - bits)) {
    leave_range(fmt::format("exact arithmetic left its range in {}: |x| = {:.3g} does not fit the grid 2^-{}", what,
                            extent.largest_term, bits));
  }
  note_sum(extent.largest_sum, bits, what);
}

}  // namespace

int64_t terms_of(const at::Tensor& x, at::OptionalIntArrayRef dims) {
  const std::vector<bool> summed = summed_dims(x, dims);
  int64_t count = 1;
  for (std::size_t i = 0; i < summed.size(); ++i) count *= summed[i] ? x.size(static_cast<int64_t>(i)) : 1;
  return count;
}

at::Tensor sum_terms(const at::Tensor& x, Term term, int bits, at::OptionalIntArrayRef dims, bool keepdim, const char* what) {
  std::vector<bool> summed = summed_dims(x, dims);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (!summed[i]) {
      sizes.push_back(x.size(i));
    } else if (keepdim) {
      sizes.push_back(1);
    }
  }
  at::Tensor in = x;
  if (!follow_each_other(summed)) {  // make the summed dims adjacent, at the end
    std::vector<int64_t> order(x.dim());
    std::iota(order.begin(), order.end(), 0);
    std::stable_partition(order.begin(), order.end(), [&](int64_t dim) { return !summed[dim]; });
    in = at::native::permute(x, order);
    std::sort(summed.begin(), summed.end());
  }
  in = in_rows(in);
  at::Tensor out = at::detail::empty_cpu(sizes, x.options());
  const double* from = in.const_data_ptr<double>();
  double* to = out.mutable_data_ptr<double>();
  const Layout layout = layout_of(in, summed);
  const double c = snap_constant(bits);
  Extent extent;
  switch (term) {
    case Term::itself: add<Term::itself>(from, to, layout, c, extent); break;
    case Term::magnitude: add<Term::magnitude>(from, to, layout, c, extent); break;
    case Term::square: add<Term::square>(from, to, layout, c, extent); break;
  }
  note(extent, bits, what);
  return out;
}

}  // namespace ordercheck::ranks
