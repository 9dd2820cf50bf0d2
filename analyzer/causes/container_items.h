// What the guards of a function say of the items of a container whose length or keys vary.

#ifndef SHAPEWISE_CAUSES_CONTAINER_ITEMS_H_
#define SHAPEWISE_CAUSES_CONTAINER_ITEMS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "causes/cause.h"
#include "model/session.h"

namespace shapewise {

/// An item of a list, or a part of one: "targets", 3 and "['boxes']" of "targets[3]['boxes']".
struct ListItem {
  std::string list;
  size_t index = 0;
  std::string part;  ///< empty: the item itself

  /// "targets[*]['boxes']"
  std::string OfAny() const { return list + "[*]" + part; }
};
/// The items, or the parts of them, as a Python list: "[item.ids for item in group]", "list(xs)".
std::string ItemsOf(const ListItem& item);
/// Parses `source` in any spelling; of nested lists, the innermost counts.
std::optional<ListItem> ParseListItem(std::string_view source);

/// The reasons of a function, one for each source and class; for keys, one for each guard.
using ReasonsByGuard = std::map<std::tuple<StrId, GuardClass, StrId>, const Reason*>;

/// Finds reasons of a function by the name of their source, and lines of code by their words. They
/// are read when they are first asked for.
class ReasonIndex {
 public:
  ReasonIndex(const Session& session, const ReasonsByGuard& reasons)
      : session_(session), reasons_(reasons) {}

  /// The reasons on sources whose name begins with `name`, in the order of `reasons`.
  std::vector<const Reason*> WithPrefix(std::string_view name);

  /// The first printed line that takes another path where one of `names` is missing; empty: none.
  std::string_view FirstAsking(const std::set<std::string_view>& names);

  /// The flags for which the missing keys `names` stand, as items of a dict: `"l2norm": False`.
  /// Empty: a line uses one of them in another way than in a test of its truth, or none does so.
  std::string FlagDefaults(const std::set<std::string_view>& names);

 private:
  void Read();

  const Session& session_;
  const ReasonsByGuard& reasons_;
  std::vector<std::pair<std::string_view, const Reason*>> lines_and_reasons_;  ///< in order
  std::multimap<std::string, size_t> by_name_;
  std::map<std::string_view, std::vector<size_t>> by_word_;  ///< of a line of code
};

/// Describes the container whose length or keys are the culprit of `cause`, if they are: whether it
/// is a dict, its name and which of its keys come and go (facts "container" and "keys") and the
/// line that asks for one ("asked", below), or what they stand for if all are flags
/// ("flag_defaults"), whether sizes of its items vary and which list has them
/// ("item_list", or "item_dim" if it is not dim 0), and its name if its items are tensors
/// ("tensor_list").
void DescribeItems(const Session& session, ReasonIndex& reasons, Cause& cause);

/// The values that some calls of a function pass as None, by the object that has them as
/// attributes, as in user code: "p" for "p.top_k"; by "" the arguments themselves.
using OptionalValues = std::map<std::string, std::set<std::string>, std::less<>>;
OptionalValues FindOptionalValues(const Session& session, const ReasonsByGuard& reasons);

/// Names the optional values next to the culprit of `cause`, if it is one of several
/// ("optional_values"): each combination of them has a graph.
void DescribeOptional(const OptionalValues& optional, Cause& cause);

/// Adds the first printed line that takes another path where the culprit of `cause` has no
/// value ("asked"): another value in its place changes the result.
void DescribeMissing(ReasonIndex& reasons, Cause& cause);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_CONTAINER_ITEMS_H_
