// What the log shows about sizes that changed, besides the culprit itself: whether a mark on one
// tensor can be enough, and whether anything is left to save.

#ifndef SHAPEWISE_CAUSES_DESCRIBE_SIZES_H_
#define SHAPEWISE_CAUSES_DESCRIBE_SIZES_H_

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "causes/cause.h"
#include "causes/culprit_chain.h"
#include "history/code_object_history.h"
#include "model/compilation.h"
#include "model/session.h"

namespace shapewise {

/// What varied in a function, by the names of its sources.
struct VaryingSources {
  std::set<std::string> tensors;  ///< in a size or stride
  std::set<std::string> lists;    ///< in their length
  /// A state that becomes None again in a later call, as a cache does at the start of a request.
  std::string emptied;
  /// A value of `self` that came back after another one, as where several modules share the code.
  std::string of_modules;
  /// The same of an argument.
  std::string of_objects;
};
VaryingSources FindVaryingSources(const Session& session, const std::deque<Chain>& chains);

/// Numbers with which graphs compared a size ("s77 < 16"), because the code or a kernel differs on
/// both sides. Each history is read when it is first asked for.
class SizeBounds {
 public:
  struct Bound {
    int64_t first_above = 0;  ///< 16
    const SymbolFact* question = nullptr;
  };

  SizeBounds(const Session& session, const std::vector<CodeObjectHistory>& histories)
      : session_(session), histories_(histories), of_history_(histories.size()) {}

  /// The first bound with sizes of `cause` on both sides in the history `stretch`; null: none.
  const Bound* Find(uint32_t stretch, const Cause& cause);

 private:
  using BySize = std::multimap<std::pair<std::string, int32_t>, Bound>;  // name, dim

  BySize Read(const CodeObjectHistory& history) const;

  const Session& session_;
  const std::vector<CodeObjectHistory>& histories_;
  std::vector<std::optional<BySize>> of_history_;
};

/// Adds to `cause` what else varies in its function: a state that becomes None again ("emptied"), a
/// value that came back ("several_modules", "several_objects"), for keys the tensors whose sizes
/// vary ("sized"). Completes it for a size, if it has its values already: sets is_lone_tensor, and
/// adds the items of a list whose length changes ("item_list") and a bound with sizes on both sides
/// ("bound", "bound_at"). `varying`: of the function.
void DescribeSizes(const Session& session, const VaryingSources& varying, const Chain& chain,
                   SizeBounds& bounds, Cause& cause);

/// Sets is_settled of those of `causes` whose size changed once, if there are few of them and no
/// other size changed.
void MarkSettled(std::vector<Cause>& causes);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_DESCRIBE_SIZES_H_
