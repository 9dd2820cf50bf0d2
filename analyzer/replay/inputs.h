// Inputs of a program: their types, the values of its symbols, tensors that are read or generated.

#ifndef SHAPEWISE_REPLAY_INPUTS_H_
#define SHAPEWISE_REPLAY_INPUTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/constants.h"
#include "replay/executor.h"
#include "replay/program.h"
#include "replay/size_expression.h"

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

/// The total bytes of the tensors in `inputs`.
int64_t BytesOf(const RunInputs& inputs);

/// Sets the type of one input of `program` from INPUT=DTYPE[SIZE,...]; a size is a number or the
/// name of a symbol, which may be new. Throws std::runtime_error.
void SetType(const std::string& text, const DeviceChoice& devices, Program& program);

/// For each input of `program`, the size of the dim that it indexes at `bindings`, or the smallest
/// if it indexes several: followed through views, copies and casts to embeddings, gathers,
/// subscripts and classes of losses. Absent: not an index, as far as the graph shows.
std::vector<std::optional<int64_t>> FindIndexRanges(const Program& program,
                                                    const Bindings& bindings);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_INPUTS_H_
