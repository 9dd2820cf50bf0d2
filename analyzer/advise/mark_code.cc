// Objects of a list, such as the layers of a cache, have the same attributes: a loop over the list
// marks them all, and the list is as long as the model is deep.

#include "advise/mark_code.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "causes/container_items.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kLoopVariable = "item";

/// A size of the items of a list, by list, part of the item, dim and function that marks it.
using Family = std::tuple<std::string, std::string, int32_t, std::string>;

/// The source with any item of its list; the source itself if it is not part of a list.
std::string OfAnyItem(const std::string& source) {
  const std::optional<ListItem> item = ParseListItem(source);
  return item ? item->OfAny() : source;
}

/// `statement` as the body of another one: each line after a line break and four blanks.
std::string Indented(const std::string& statement) {
  std::string body = "\n    ";
  for (const char c : statement) body += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return body;
}

class MarkWriter {
 public:
  MarkWriter(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
             bool with_unbacked)
      : needs_(needs), dims_(dims), with_unbacked_(with_unbacked) {
    for (const std::string& source : needs.optional) optional_.insert(OfAnyItem(source));
    std::map<Family, std::set<size_t>> indices;
    for (const VariedDim* dim : dims) {
      const auto item = ParseListItem(ArgumentExpr(dim->first.source));
      if (!item) continue;
      const Family family = FamilyOf(*item, *dim);
      if (IsItemOfVaryingLength(needs, dim->first)) families_.insert(family);
      indices[family].insert(item->index);
    }
    for (const auto& [family, of] : indices) {
      // Items are of one kind if they have the same key, or all have the same attribute.
      const std::string& part = std::get<1>(family);
      const bool are_all = *of.rbegin() == of.size() - 1;
      const bool are_alike = part.starts_with('[') || (part.starts_with('.') && are_all);
      if (of.size() > 1 && are_alike) families_.insert(family);
    }
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const VariedDim* dim : dims_) {
      const Variable& variable = dim->first;
      std::string name = "dim " + std::to_string(variable.dim) + " of ";
      if (const std::optional<Family> family = FindFamily(*dim)) {
        const auto& [list, part, number, function] = *family;
        name += part.empty() ? "each item of " + list : list + "[*]" + part;
      } else {
        name += ArgumentExpr(variable.source);
      }
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    for (const std::string& source : LatePartners(needs_, dims_)) {
      names.push_back("all dims of " + ArgumentExpr(source));
    }
    return names;
  }

  std::string Code() {
    for (const VariedDim* dim : dims_) AddDim(*dim);
    for (const std::string& source : LatePartners(needs_, dims_)) {
      const std::string name = ArgumentExpr(source);
      Add("if isinstance(" + name + ", torch.Tensor):\n    torch._dynamo.maybe_mark_dynamic(" +
          name + ", list(range(" + name + ".dim())))");
    }
    return Joined(statements_, "\n");
  }

 private:
  std::string FunctionOf(const VariedDim& dim) const {
    return with_unbacked_ && dim.second.is_special ? "torch._dynamo.decorators.mark_unbacked"
                                                   : "torch._dynamo.maybe_mark_dynamic";
  }

  Family FamilyOf(const ListItem& item, const VariedDim& dim) const {
    return {item.list, item.part, dim.first.dim, FunctionOf(dim)};
  }

  std::optional<Family> FindFamily(const VariedDim& dim) const {
    const auto item = ParseListItem(ArgumentExpr(dim.first.source));
    if (!item) return std::nullopt;
    Family family = FamilyOf(*item, dim);
    return families_.contains(family) ? std::optional(std::move(family)) : std::nullopt;
  }

  /// Whether some calls have no tensor there. An attribute is often None before the object is used,
  /// and only a view has a base.
  bool IsOptional(const Variable& variable) const {
    const std::string name = ArgumentExpr(variable.source);
    const size_t dot = name.rfind('.');
    const bool is_attribute = dot != std::string::npos && name.find(']', dot) == std::string::npos;
    return is_attribute || optional_.contains(OfAnyItem(variable.source));
  }

  /// The container of `variable` that is None or of another type in some calls; empty: none.
  std::string OptionalContainer(const Variable& variable) const {
    for (const std::string& source : needs_.optional) {
      const bool contains =
          variable.source.starts_with(source + "[") || variable.source.starts_with(source + ".");
      if (contains) return ArgumentExpr(source);
    }
    return {};
  }

  void AddDim(const VariedDim& dim) {
    const Variable& variable = dim.first;
    const std::string name = ArgumentExpr(variable.source);
    const auto mark = [&](const std::string& tensor) {
      return FunctionOf(dim) + "(" + tensor + ", " + std::to_string(variable.dim) + ")";
    };
    const auto under = [](const std::string& condition, const std::string& statement) {
      return condition + ":" + Indented(statement);
    };
    const auto with_check = [&](const std::string& tensor) {
      return IsOptional(variable)
                 ? under("if isinstance(" + tensor + ", torch.Tensor)", mark(tensor))
                 : mark(tensor);
    };
    if (const std::optional<Family> family = FindFamily(dim)) {
      const std::string part = std::string(kLoopVariable) + std::get<1>(*family);
      AddToLoop(std::get<0>(*family), with_check(part));
    } else if (const size_t key = name.rfind('[');
               needs_.missing.contains(variable.source) && key != std::string::npos) {
      Add(under("if " + name.substr(key + 1, name.size() - key - 2) + " in " + name.substr(0, key),
                mark(name)));
    } else if (const std::string container = OptionalContainer(variable); !container.empty()) {
      Add(under("if " + container + " is not None", with_check(name)));
    } else {
      Add(with_check(name));
    }
  }

  void Add(const std::string& statement) {
    if (std::ranges::find(statements_, statement) == statements_.end()) {
      statements_.push_back(statement);
    }
  }

  void AddToLoop(const std::string& list, const std::string& statement) {
    const std::string body = Indented(statement);
    const std::string head = "for " + std::string(kLoopVariable) + " in " + list + ":";
    const auto loop = std::ranges::find_if(
        statements_, [&](const std::string& each) { return each.starts_with(head); });
    if (loop == statements_.end()) {
      statements_.push_back(head + body);
    } else if (!HasText(*loop + "\n", body + "\n")) {
      *loop += body;
    }
  }

  const FunctionNeeds& needs_;
  const std::vector<const VariedDim*>& dims_;
  const bool with_unbacked_;
  std::set<std::string> optional_;  // sources; of lists, with any item
  std::set<Family> families_;
  std::vector<std::string> statements_;
};

}  // namespace

bool IsItemOfVaryingLength(const FunctionNeeds& needs, const Variable& variable) {
  const std::optional<ListItem> item = ParseListItem(variable.source);
  return item && needs.lengths.contains(item->list);
}

std::string NamesOf(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims) {
  std::vector<std::string> names = MarkWriter(needs, dims, /*with_unbacked=*/false).Names();
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : Joined(names, ", ") + " and " + last;
}

std::vector<std::string> LatePartners(const FunctionNeeds& needs,
                                      const std::vector<const VariedDim*>& dims) {
  std::vector<std::string> partners;
  const bool is_late = std::ranges::any_of(
      dims, [](const VariedDim* dim) { return dim->second.constant_by == ConstantBy::kLate; });
  if (!is_late) return partners;
  for (const std::string& source : needs.late) {
    const bool is_marked = std::ranges::any_of(
        dims, [&](const VariedDim* dim) { return dim->first.source == source; });
    if (!is_marked && !ArgumentExpr(source).empty()) partners.push_back(source);
  }
  return partners;
}

std::string MarkCode(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
                     bool with_unbacked) {
  return MarkWriter(needs, dims, with_unbacked).Code();
}

}  // namespace shapewise
