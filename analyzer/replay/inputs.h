// What a program is run with: values of its symbols, tensors that are read or made up.

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

/// Reads "s0=128" or "s0=128,s1=4" into `bindings`. Throws std::runtime_error for anything else.
void ReadBindings(const std::string& text, Bindings& bindings);

/// `given`, and the hint of each symbol that is not among them. Throws std::runtime_error for a
/// name that is no symbol of `program`.
Bindings CompleteBindings(const Program& program, const Bindings& given);

/// Makes inputs: numbers of ordinary magnitude by dtype, indices within what they index, truth
/// values by chance, all from `seed`. Where `given` has a value under the name or the source of an
/// input or attribute it is taken instead. Throws std::runtime_error if a size has no value.
RunInputs MakeInputs(const Program& program, const Bindings& bindings, uint64_t seed,
                     const std::map<std::string, Value>& given = {});

/// The values of symbols that follow from the shapes of given inputs: what stands alone as a size.
void BindFromInputs(const Program& program, const std::map<std::string, Value>& given,
                    Bindings& bindings);

/// A tensor of `type` with elements that are all made up; `index_range`: of indices.
at::Tensor MakeTensor(const ProgramInput& input, const Bindings& bindings,
                      std::optional<int64_t> index_range);

/// Evaluates `sizes`; throws std::runtime_error, naming `what`, if one has no value.
std::vector<int64_t> EvaluateSizes(const std::vector<SizeExpression>& sizes,
                                   const Bindings& bindings, const std::string& what);

/// Bytes of all tensors among `inputs`.
int64_t BytesOf(const RunInputs& inputs);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_INPUTS_H_
