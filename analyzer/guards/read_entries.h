// From what a run tells of its guards to cache entries, function by function.

#ifndef SHAPEWISE_GUARDS_READ_ENTRIES_H_
#define SHAPEWISE_GUARDS_READ_ENTRIES_H_

#include <string>
#include <vector>

#include "guards/guarded_entry.h"
#include "shapewise/model/compilation.h"
#include "shapewise/model/graph_model.h"
#include "shapewise/model/session.h"

namespace shapewise {

/// What is known of one compilation, wherever it was told.
struct EntryMaterial {
  const GuardTexts* texts = nullptr;
  const std::vector<SymbolFact>* symbols = nullptr;
  const std::vector<InputShape>* shapes = nullptr;  ///< null: not told
};

/// Fills in the constraints of `entry`. `file`: of the compiled function, for comments that clip
/// the names of files.
void ReadEntry(const EntryMaterial& material, const Session& session, const std::string& file,
               ExprPool& pool, GuardedEntry& entry);

/// The functions of the run in the order in which they appear; only those called `name`, unless it
/// is empty.
std::vector<GuardedFunction> ReadFunctions(const Session& session, const std::string& name,
                                           ExprPool& pool);

/// A captured graph as the only entry of its function: its symbols, their ranges, what constrains
/// them. Symbols are named by where they come from, as far as that is told.
GuardedFunction ReadGraphEntry(const GraphModel& graph, const GraphSet& graphs, ExprPool& pool);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_READ_ENTRIES_H_
