#include "native/arith/cuda/tensor_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <ATen/ATen.h>
#include <ATen/WrapDimUtils.h>
#include <fmt/format.h>

#include "native/arith/cuda/kernels.h"
#include "native/arith/range.h"
#include "native/arith/snap.h"

namespace ordercheck::ranks::on_device {
namespace {

bool is_dense(const at::Tensor& x) { return x.is_non_overlapping_and_dense(); }

const Kernels& kernels_of(const at::Tensor& x) { return kernels_on(x.device()); }

SummedTerm summed(Term term) {
  return term == Term::magnitude ? SummedTerm::magnitude : term == Term::square ? SummedTerm::square : SummedTerm::itself;
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

// Returns a contiguous tensor in which the dims marked in `summed` are adjacent: moves them to the end unless they already are,
// and updates `summed`.
at::Tensor with_neighbours_summed(const at::Tensor& x, std::vector<bool>& summed) {
  const auto first = std::find(summed.begin(), summed.end(), true);
  const auto after = std::find(first, summed.end(), false);
  if (std::find(after, summed.end(), true) == summed.end()) return in_rows(x);
  std::vector<int64_t> order(x.dim());
  std::iota(order.begin(), order.end(), 0);
  std::stable_partition(order.begin(), order.end(), [&](int64_t dim) { return !summed[dim]; });
  std::sort(summed.begin(), summed.end());
  return in_rows(x.permute(order));
}

void note(const SumExtent& extent, int bits, const char* what) {
  if (extent.largest_term >= std::ldexp(1.0, 51 - bits)) {
    leave_range(fmt::format("exact arithmetic left its range in {}: |x| = {:.3g} does not fit the grid 2^-{}", what,
                            extent.largest_term, bits));
  }
  note_sum(extent.largest_sum.value, bits, what);
}

// Returns the largest row norm of a matrix or a batch.
double largest_row_norm(const at::Tensor& rows) {
  const int64_t length = rows.size(-1), count = rows.size(-2);
  if (rows.numel() == 0) return 0;
  const bool by_columns = !rows.is_contiguous() && rows.transpose(-1, -2).is_contiguous();
  const at::Tensor matrix = by_columns ? rows.transpose(-1, -2) : in_rows(rows);
  const RowSquares squares{.in = matrix.const_data_ptr<double>(),
                           .rows = count,
                           .row = by_columns ? 1 : length,
                           .length = length,
                           .step = by_columns ? count : 1,
                           .matrix = count * length};
  return std::sqrt(kernels_of(rows).largest_squares(squares, rows.numel() / length));
}

}  // namespace

at::Tensor in_rows(const at::Tensor& x) {
  if (x.is_contiguous()) return x;
  return at::empty(x.sizes(), x.options()).copy_(x);
}

at::Tensor snapped(const at::Tensor& x, int bits) {
  TORCH_CHECK(x.scalar_type() == at::kDouble, "snap: expected float64, got ", x.scalar_type());
  const at::Tensor in = is_dense(x) ? x : in_rows(x);
  at::Tensor out = at::empty_strided(in.sizes(), in.strides(), in.options());
  const Rounding rounding{.in = in.const_data_ptr<double>(),
                          .out = out.mutable_data_ptr<double>(),
                          .c = snap_constant(bits),
                          .limit = std::ldexp(1.0, 51 - bits)};
  const GridFit fit = kernels_of(x).round(rounding, in.numel());
  if (fit.outside > 0) {
    leave_range(
        fmt::format("exact arithmetic left its range: |x| = {:.3g} does not fit the grid 2^-{}", fit.largest.value, bits));
  }
  return out;
}

at::Tensor root(const at::Tensor& x) {
  const at::Tensor in = is_dense(x) ? x : at::neg(x).copy_(x);
  at::Tensor out = at::empty_strided(in.sizes(), in.strides(), in.options());
  kernels_of(x).root({.in = in.const_data_ptr<double>(), .out = out.mutable_data_ptr<double>()}, in.numel());
  return out;
}

at::Tensor sum_of_terms(const at::Tensor& x, Term term, int bits, at::OptionalIntArrayRef dims, bool keepdim,
                        const char* what) {
  std::vector<bool> is_summed = summed_dims(x, dims);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < x.dim(); ++i) {
    if (!is_summed[i])
      sizes.push_back(x.size(i));
    else if (keepdim)
      sizes.push_back(1);
  }
  const at::Tensor in = with_neighbours_summed(x, is_summed);
  at::Tensor out = at::empty(sizes, x.options());
  int64_t length = 1, inner = 1;
  bool met = false;
  for (int64_t i = 0; i < in.dim(); ++i) {
    met = met || is_summed[i];
    if (is_summed[i]) length *= in.size(i);
    if (!is_summed[i] && met) inner *= in.size(i);
  }
  const Summation summation{.in = in.const_data_ptr<double>(),
                            .out = out.mutable_data_ptr<double>(),
                            .length = length,
                            .inner = inner,
                            .c = snap_constant(bits),
                            .term = summed(term)};
  note(kernels_of(x).add(summation, out.numel()), bits, what);
  return out;
}

void note_product(const at::Tensor& a, const at::Tensor& b, int bits, const char* what) {
  if (!is_measured()) return;
  note_sum(largest_row_norm(a) * largest_row_norm(b.transpose(-1, -2)), bits, what);
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  TORCH_CHECK(a.device() == b.device(), "same bits: expected tensors on one device, got ", a.device(), " and ", b.device());
  if (a.sizes() != b.sizes() || a.scalar_type() != b.scalar_type()) return false;
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  // Compare a 16-byte complex number as two 8-byte words.
  const int size = std::min<int>(static_cast<int>(x.element_size()), 8);
  return kernels_of(a).first_difference(x.const_data_ptr(), y.const_data_ptr(), static_cast<int64_t>(x.nbytes()) / size,
                                        size) == kNowhere;
}

}  // namespace ordercheck::ranks::on_device
