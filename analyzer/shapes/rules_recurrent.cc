#include <array>

#include "shapes/broadcast.h"
#include "shapes/rules.h"

namespace shapewise {

void CellRule(NodeContext& context) {
  // gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh); lstm_cell takes (h, c) and returns the same: one
  // step, each row independently.
  const TensorState input = context.Operand(0, {"input"});
  const bool is_pair = (context.rule().flags & kTuple) != 0;
  llvm::SmallVector<TensorState, 3> states = {input};
  for (const Argument* hidden : context.Elements(context.Find(1, {"hx"}))) {
    states.push_back(context.State(hidden));
  }
  if (states.size() != (is_pair ? 3 : 2) || !input.has_rank || input.rank == 0) return;
  for (size_t weight = 2; weight < 6; ++weight) {
    if (context.Find(weight) != nullptr && context.State(context.Find(weight)).IsPadded()) return;
  }
  const size_t last = input.rank - 1u;
  bool is_finite = true;
  for (const TensorState& state : states) {
    if (!state.has_rank || state.rank != input.rank) return;
    if (context.ContaminatesPadded(state, last, std::string(context.name().base) + " sums over")) {
      return;
    }
    is_finite &= state.IsFiniteEverywhere();
  }
  TensorState result = TensorState::Scalar();
  llvm::SmallVector<const TensorState*, 3> operands;
  for (const TensorState& state : states) operands.push_back(&state);
  for (size_t dim = 0; dim < last; ++dim) {
    llvm::SmallVector<llvm::ArrayRef<Axis>, 3> dims;
    for (const TensorState& state : states) dims.push_back(state.Dim(dim));
    if (!LineUp(context, operands, dims, Pointwise::kTest, result)) return;
  }
  result.AddDim(states[1].Dim(last));
  result.SetFills(Fill::FiniteIf(is_finite));
  if (is_pair) {
    TensorState cell = result;
    context.ReturnTuple({std::move(result), std::move(cell)});
  } else {
    context.Return(std::move(result));
  }
}

void RecurrentRule(NodeContext& context) {
  // lstm(input, (h, c), params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
  // and similar; for packed sequences the second argument is a tensor of sizes.
  const size_t num_hidden = context.rule().code;
  const TensorState input = context.Operand(0, {"input"});
  llvm::SmallVector<TensorState, 2> hidden;
  for (const Argument* state : context.Elements(context.Find(1, {"hx"}))) {
    hidden.push_back(context.State(state));
  }
  const Argument* parameters = context.Find(2, {"params"});
  const bool is_list = parameters != nullptr && parameters->IsSequence();
  if (!is_list || hidden.size() != num_hidden || input.rank != 3 || context.num_positional() < 9) {
    return;
  }
  const bool draws =
      context.Number(context.Find(5)).value_or(1) > 0 && context.BoolOr(context.Find(6), true);
  const bool is_two_way = context.BoolOr(context.Find(7), true);
  const size_t batch = context.BoolOr(context.Find(8), false) ? 0 : 1;
  const size_t time = 1 - batch;
  bool is_finite = input.IsFiniteEverywhere();
  for (const TensorState& state : hidden) {
    if (state.rank != 3 || state.IsPadded(0) || state.IsPadded(2)) return;
    is_finite &= state.IsFiniteEverywhere();
  }
  if (input.IsPadded(time)) {
    return context.Unknown("a recurrent network over " + context.DimText(input, time) +
                           ", which is padded, is not followed");
  }
  if (context.ContaminatesPadded(input, 2, std::string(context.name().base) + " sums over")) return;
  if (input.IsPadded(batch) && draws) {
    return context.Contaminate("dropout in training draws other random numbers for other sizes");
  }
  llvm::SmallVector<const TensorState*, 3> operands = {&input};
  llvm::SmallVector<llvm::ArrayRef<Axis>, 3> dims = {input.Dim(batch)};
  for (const TensorState& state : hidden) {
    operands.push_back(&state);
    dims.push_back(state.Dim(1));
  }
  TensorState rows;
  if (!LineUp(context, operands, dims, Pointwise::kTest, rows)) return;
  ExprPool& pool = context.pool();
  const ExprId width = hidden[0].Size(2);
  TensorState steps;
  for (size_t dim = 0; dim < 2; ++dim) steps.AddDim(dim == batch ? rows.Dim(0) : input.Dim(time));
  steps.AddDim(width == ExprId::kNone
                   ? width
                   : pool.Mul(std::array{width, pool.Integer(is_two_way ? 2 : 1)}));
  llvm::SmallVector<TensorState, 2> results = {std::move(steps)};
  for (const TensorState& state : hidden) {
    results.push_back(state.WithDim(1, rows.Dim(0)));
    results.back().real = Fill::Real();
  }
  for (TensorState& result : results) result.SetFills(Fill::FiniteIf(is_finite));
  context.ReturnTuple(std::move(results));
}

}  // namespace shapewise
