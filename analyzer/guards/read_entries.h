// Builds cache entries, function by function, from the guards of a run.

#ifndef SHAPEWISE_GUARDS_READ_ENTRIES_H_
#define SHAPEWISE_GUARDS_READ_ENTRIES_H_

#include <string>
#include <vector>

#include "guards/guarded_entry.h"
#include "model/compilation.h"
#include "model/graph_model.h"
#include "model/session.h"

namespace shapewise {

/// The data about one compilation, wherever it comes from.
struct EntryMaterial {
  const GuardTexts* texts = nullptr;
  const std::vector<SymbolFact>* symbols = nullptr;
  const std::vector<InputShape>* shapes = nullptr;  ///< null: unknown
};

/// Sets the constraints of `entry`. `file`: of the compiled function, because comments truncate
/// file names.
void ReadEntry(const EntryMaterial& material, const Session& session, const std::string& file,
               ExprPool& pool, GuardedEntry& entry);

/// The functions of the run in order of appearance; only those called `name`, unless it is empty.
std::vector<GuardedFunction> ReadFunctions(const Session& session, const std::string& name,
                                           ExprPool& pool);

/// A captured graph as the only entry of its function: its symbols, their ranges and constraints.
/// Symbols are named by their source, if known.
GuardedFunction ReadGraphEntry(const GraphModel& graph, const GraphSet& graphs, ExprPool& pool);

}  // namespace shapewise

#endif  // SHAPEWISE_GUARDS_READ_ENTRIES_H_
