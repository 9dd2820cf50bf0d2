// The parts of reading the body of a function from its compilations, one file each.

#ifndef SHAPEWISE_DYNAMO_BODY_PARTS_H_
#define SHAPEWISE_DYNAMO_BODY_PARTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/body.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/session.h"
#include "symbolic/expression.h"

namespace shapewise {

/// An input tensor.
struct TracedTensor {
  std::vector<std::optional<int64_t>> guarded_sizes;  ///< absent: a symbol
  std::vector<int64_t> sizes;                         ///< actual sizes; empty: unknown
  std::string properties;  ///< class, keys, dtype ... as printed in guards; empty: not guarded
  bool is_marked = false;  ///< some dims were marked dynamic

  bool IsParameter() const { return properties.starts_with("Parameter"); }
};

/// A symbol for an input size, stride or number.
struct TracedSymbol {
  std::string source;  ///< "L['x'].size()[0]", "L['n']"
  std::string name;    ///< "s77"
  std::optional<int64_t> hint;
};

/// One compilation. Sources are spelled as in guards.
struct TracedCompile {
  uint32_t frame = 0;             ///< its number in compile ids
  std::string function;           ///< of the code object
  std::string file;               ///< file of the definition; empty: unknown
  uint32_t line = 0;              ///< line of the definition; 0: unknown
  bool is_printed = false;        ///< all its guards were printed
  bool is_failed = false;         ///< it raised
  bool is_from_inductor = false;  ///< Inductor compiled its graph
  bool has_code = false;  ///< it made an entry; otherwise it failed or had nothing to compile
  uint32_t graphs = 1;    ///< passed to the backend
  std::vector<TracedSymbol> symbols;             ///< in order of creation
  std::map<std::string, int64_t> specialized;    ///< sources of symbols that became constants
  std::vector<BodyQuestion> relations;           ///< guards that must be true, over sources
  std::vector<std::string> not_understood;       ///< guards on sizes that could not be read
  std::map<std::string, std::string> constants;  ///< as in BodyConstant, by source
  std::map<std::string, std::string> types;      ///< "<class 'list'>", by source
  std::map<std::string, TracedTensor> tensors;
  std::vector<std::string> looked_at;            ///< local sources that any guard names
  std::vector<std::vector<ExprId>> node_shapes;  ///< distinct, over sources
  std::vector<std::string> mutated;              ///< sources of objects that running it changes
  /// Of each tensor, the argument of the first frame that it is; empty: none. Others: unknown.
  std::map<std::string, std::string> passed;

  const TracedSymbol* SymbolOf(std::string_view source) const;
  /// The actual size of the input tensor that `source` names; absent: unknown, or no size.
  std::optional<int64_t> SizeOf(std::string_view source) const;
  bool IsSymbolic(std::string_view source) const;  ///< it has a symbol that stayed symbolic
};

/// One compilation of a session: from a trace, or as guards printed in a text log.
struct CompileRecord {
  uint32_t frame = 0;
  std::string_view function;  ///< as in TracedCompile, for as long as the session lives
  std::string_view file;
  uint32_t line = 0;
  const Compilation* compilation = nullptr;
  const PrintedGuards* printed = nullptr;  ///< if `compilation` is null
};

/// The compilations of all processes by rank, in order; restarts count once.
std::map<int32_t, std::vector<CompileRecord>> FindCompileRecords(const Session& session);

/// The rank of the first process; kNoRank if unknown.
int32_t FirstRank(const Session& session);

TracedCompile ReadTracedCompile(const Session& session, const CompileRecord& record,
                                ExprPool& pool);

/// What `compiles`, all of one code object and in order, show about its body: everything except
/// ResumeInputs and resumes. At least one.
BodyFrame ReadBodyFrame(const std::vector<const TracedCompile*>& compiles, ExprPool& pool);

/// Compilations of one code object, all in one array in the order of time.
using Compiles = llvm::ArrayRef<const TracedCompile*>;

/// Completes the tensors among `inputs` of a frame: `same_as` if each of its compilations recorded
/// the same argument, `is_new` if each recorded that it is none of them; `differs` if they recorded
/// both. Nothing is known if one of the frames `before` took a path after which the frame was never
/// compiled.
void ReadPassedTensors(Compiles frame, llvm::ArrayRef<Compiles> before, ExprPool& pool,
                       std::vector<ResumeInput>& inputs);

/// A code object that runs before a resume function, as it was compiled in the same call.
struct HandingOver {
  const TracedCompile* compile = nullptr;
  const BodyFrame* frame = nullptr;  ///< including its inputs
  /// What probes traced of it: there, sizes that the run's graphs have as constants are symbols.
  std::span<const TracedCompile> probes = {};
};

/// The inputs of a resume function, `frame`, when it was compiled as `compile`. `before`: the
/// possible sources of its inputs, the nearest first. A size is named by the only expression over
/// their sizes that has its value; probes with distinct sizes make that certain. Attributes and
/// tensors of modules belong to no call, and are left out.
std::vector<ResumeInput> ReadResumeInputs(const std::vector<HandingOver>& before,
                                          const TracedCompile& compile, const BodyFrame& frame,
                                          ExprPool& pool);

}  // namespace shapewise

#endif  // SHAPEWISE_DYNAMO_BODY_PARTS_H_
