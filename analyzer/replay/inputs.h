// Inputs for a program: values of its symbols, and tensors that are read or generated.

#ifndef SHAPEWISE_REPLAY_INPUTS_H_
#define SHAPEWISE_REPLAY_INPUTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/executor.h"
#include "replay/program.h"

namespace shapewise::replay {

/// Parses "s0=128" or "s0=128,s1=4" into `bindings`. Throws std::runtime_error for anything else.
void ReadBindings(const std::string& text, Bindings& bindings);

/// `given`, completed by the hints of other symbols. Throws std::runtime_error for a name that is
/// not a symbol of `program`.
Bindings CompleteBindings(const Program& program, const Bindings& given);

/// Generates inputs from `seed`: numbers of ordinary magnitude by dtype, indices within their
/// range, random truth values. Values in `given`, by name or source of an input or attribute, take
/// precedence. Throws std::runtime_error if a size has no value.
RunInputs MakeInputs(const Program& program, const Bindings& bindings, uint64_t seed,
                     const std::map<std::string, Value>& given = {});

/// Derives values of symbols from the shapes of given inputs, where a size is a single symbol.
void BindFromInputs(const Program& program, const std::map<std::string, Value>& given,
                    Bindings& bindings);

/// A tensor of `type` with generated elements; `index_range`: upper bound for indices.
at::Tensor MakeTensor(const ProgramInput& input, const Bindings& bindings,
                      std::optional<int64_t> index_range);

/// Evaluates `sizes`; throws std::runtime_error, naming `what`, if one has no value.
std::vector<int64_t> EvaluateSizes(const std::vector<SizeExpression>& sizes,
                                   const Bindings& bindings, const std::string& what);

/// The total bytes of the tensors in `inputs`.
int64_t BytesOf(const RunInputs& inputs);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_INPUTS_H_
