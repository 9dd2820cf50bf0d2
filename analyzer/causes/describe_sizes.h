// What the log shows about sizes that changed, besides the culprit itself: whether a mark on one
// tensor can be enough, and whether anything is left to save.

#ifndef SHAPEWISE_CAUSES_DESCRIBE_SIZES_H_
#define SHAPEWISE_CAUSES_DESCRIBE_SIZES_H_

#include <deque>
#include <vector>

#include "causes/cause.h"
#include "causes/culprit_chain.h"
#include "history/code_object_history.h"
#include "model/session.h"

namespace shapewise {

/// For a size, completes `cause`, which has its values already: sets is_lone_tensor, and adds the
/// items of a list whose length changes ("item_list") and a bound with sizes on both sides
/// ("bound", "bound_at"). `chains` are those of the function, `histories` belong to stretches.
void DescribeSizes(const Session& session, const std::vector<CodeObjectHistory>& histories,
                   const Chain& chain, const std::deque<Chain>& chains, Cause& cause);

/// Sets is_settled of those of `causes` whose size changed once, if there are few of them and no
/// other size changed.
void MarkSettled(std::vector<Cause>& causes);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_DESCRIBE_SIZES_H_
