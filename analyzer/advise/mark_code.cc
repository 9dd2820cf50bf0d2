// Objects of a list, such as the layers of a cache, have the same attributes: a loop over the list
// marks them all, and the list is as long as the model is deep.

#include "advise/mark_code.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "causes/container_items.h"
#include "llvm/ADT/ArrayRef.h"
#include "support/text_list.h"

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

/// Statements under conditions and loops. Those with the same head stand in one block.
class Block {
 public:
  /// Adds the last of `lines` under the others, unless it is there.
  void Add(llvm::ArrayRef<std::string> lines) {
    if (lines.empty()) return;
    const auto [at, is_new] = indices_.try_emplace(lines.front(), statements_.size());
    if (is_new) statements_.push_back({lines.front(), std::make_unique<Block>()});
    statements_[at->second].body->Add(lines.drop_front());
  }

  std::string Text(const std::string& indent = {}) const {
    std::string text;
    for (const Statement& statement : statements_) {
      if (!text.empty()) text += '\n';
      text += indent + statement.line;
      const std::string body = statement.body->Text(indent + "    ");
      if (!body.empty()) text += ":\n" + body;
    }
    return text;
  }

 private:
  struct Statement {
    std::string line;
    std::unique_ptr<Block> body;
  };
  std::vector<Statement> statements_;
  std::map<std::string, size_t> indices_;  ///< of the statements, by their line
};

/// Where the variable and each step of `name` end: 5, 9 and 12 in "cache.keys[0]" (a key may
/// contain a dot).
std::vector<size_t> StepEnds(std::string_view name) {
  std::vector<size_t> ends;
  bool is_quoted = false;
  for (size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\'') is_quoted = !is_quoted;
    if (!is_quoted && (name[i] == '.' || name[i] == '[')) ends.push_back(i);
  }
  ends.push_back(name.size());
  return ends;
}

class MarkWriter {
 public:
  MarkWriter(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
             bool with_unbacked)
      : needs_(needs), dims_(dims), with_unbacked_(with_unbacked) {
    for (const std::string& source : needs.optional) {
      const std::string name = ArgumentExpr(source);
      if (name.empty()) continue;
      optional_.insert(OfAnyItem(name));
      has_optional_argument_ |= StepEnds(name).size() == 1;
    }
    for (const std::string& source : needs.missing) missing_.insert(ArgumentExpr(source));
    for (const std::string& source : needs.lengths) lengths_.insert(ArgumentExpr(source));
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
      code_.Add(
          {"if isinstance(" + name + ", torch.Tensor)",
           "torch._dynamo.maybe_mark_dynamic(" + name + ", list(range(" + name + ".dim())))"});
    }
    return code_.Text();
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
  /// and only a view has a base; where one argument is optional, others may be.
  bool IsOptional(const Variable& variable, const std::string& name) const {
    const size_t dot = name.rfind('.');
    const bool is_attribute = dot != std::string::npos && name.find(']', dot) == std::string::npos;
    if (is_attribute || optional_.contains(OfAnyItem(name))) return true;
    if (StepEnds(name).size() > 1) return false;
    return has_optional_argument_ || std::ranges::any_of(needs_.sizes, [&](const auto& sizes) {
             const auto first = sizes.lower_bound({variable.source, 0});
             return !sizes.empty() &&
                    (first == sizes.end() || first->first.source != variable.source);
           });
  }

  /// Marks `dim` under what has to hold so that it is there: no container of it is None, dicts have
  /// its key, and it is a tensor.
  void AddDim(const VariedDim& dim) {
    const std::string name = ArgumentExpr(dim.first.source);
    const std::optional<Family> family = FindFamily(dim);
    const size_t item_end = name.size() - (family ? std::get<1>(*family).size() : 0);
    const auto shown = [&](size_t end) {
      const bool is_in_loop = family && end >= item_end;
      return is_in_loop ? std::string(kLoopVariable) + name.substr(item_end, end - item_end)
                        : name.substr(0, end);
    };
    std::vector<std::string> lines;
    size_t begin = 0;
    for (const size_t end : StepEnds(name)) {
      const std::string step = name.substr(begin, end - begin);
      const std::string container = name.substr(0, begin);
      const std::string key = step.starts_with('[') ? step.substr(1, step.size() - 2) : "";
      const bool may_lack = lengths_.contains(container);
      if (family && end == item_end) {
        lines.push_back("for " + shown(end) + " in " + container);
      } else if (key.starts_with('\'') && (may_lack || missing_.contains(name.substr(0, end)))) {
        lines.push_back("if " + key + " in " + shown(begin));
      } else if (!key.empty() && may_lack) {
        lines.push_back("if len(" + shown(begin) + ") > " + key);
      }
      const bool may_be_none = optional_.contains(OfAnyItem(name.substr(0, end))) ||
                               (begin == 0 && has_optional_argument_);
      if (end < name.size() && may_be_none) {
        lines.push_back("if " + shown(end) + " is not None");
      }
      begin = end;
    }
    if (IsOptional(dim.first, name)) {
      lines.push_back("if isinstance(" + shown(name.size()) + ", torch.Tensor)");
    }
    lines.push_back(FunctionOf(dim) + "(" + shown(name.size()) + ", " +
                    std::to_string(dim.first.dim) + ")");
    code_.Add(lines);
  }

  const FunctionNeeds& needs_;
  const std::vector<const VariedDim*>& dims_;
  const bool with_unbacked_;
  std::set<std::string> optional_;  // in Python; of lists, with any item
  std::set<std::string> missing_;
  std::set<std::string> lengths_;
  bool has_optional_argument_ = false;
  std::set<Family> families_;
  Block code_;
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
