// Discrete Fourier transforms.
#include "shapes/rules.h"

namespace shapewise {

// fft_fft(self, n, dim, norm), fft_fft2 and fft_fftn (self, s, dim, norm), and their like for real
// numbers: every number of the result depends on all positions of a dim, and on how many there are.
void FourierRule(NodeContext& context) {
  const TensorState state = context.Operand(0, {"input", "self"});
  if (!state.has_rank || state.rank == 0) return;
  const std::string_view name = context.name().base;
  const bool is_of_all = name.ends_with("n");
  const bool is_of_two = name.ends_with("2");
  const Argument* given = context.Find(2, {"dim"});
  llvm::SmallVector<size_t, 6> dims;
  if (given != nullptr || is_of_all) {
    const auto found = context.Dims(given, state.rank);
    if (!found) return;
    dims = *found;
  } else {
    for (size_t i = is_of_two ? 2 : 1; i > 0; --i) {
      if (i <= state.rank) dims.push_back(state.rank - i);
    }
  }
  const bool has_sizes = context.Find(1, {"n", "s"}) != nullptr;
  const bool is_of_reals = name.find("_rfft") != name.npos || name.find("_irfft") != name.npos ||
                           name.find("_hfft") != name.npos || name.find("_ihfft") != name.npos;
  TensorState result = state;
  result.real = Fill::Real();
  for (const size_t dim : dims) {
    if (state.IsPadded(dim)) {
      return context.Contaminate(
          "it transforms " + context.DimText(state, dim) + ", which is padded",
          /*is_shown=*/!has_sizes);
    }
    if (!has_sizes && !is_of_reals) continue;
    for (Axis& axis : result.Dim(dim)) axis.size = ExprId::kNone;
  }
  result.ChangeFills(FiniteLike);
  context.Return(std::move(result));
}

}  // namespace shapewise
