// How the grad mode of a function changed between its recompiles.

#ifndef SHAPEWISE_CAUSES_GRAD_MODE_CHANGES_H_
#define SHAPEWISE_CAUSES_GRAD_MODE_CHANGES_H_

#include <cstdint>
#include <map>

#include "history/code_object_history.h"
#include "model/session.h"

namespace shapewise {

/// The changes of grad mode between the recompiles of one function.
class GradModeChanges {
 public:
  /// Adds the recompile `detail`, compile number `compile` of `history`, which has the number
  /// `stretch`. Recompiles of one history come in their order.
  void Add(const Session& session, const EventDetail& detail, const CodeObjectHistory& history,
           uint32_t stretch, uint32_t compile);

  /// The number of graphs of the mode that no later record shows; 0: not known.
  uint32_t NumLeftGraphs() const;

  /// How often a compile was in another mode than the one before it, if that was so for most
  /// compiles; else 0. Layers of one model that share the function are all compiled for one mode
  /// before the other.
  uint32_t NumTurns() const;

 private:
  struct Change {
    uint32_t compile = 0;  // the first in the new mode; 0: none
    uint32_t num_later = 0;
    uint32_t num_turns = 0;
    uint32_t num_recompiles = 0;
    bool came_back = false;  // or the records do not show that it did not
  };

  std::map<uint32_t, Change> by_stretch_;
};

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_GRAD_MODE_CHANGES_H_
