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

#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kLoopVariable = "item";

/// A path through an object of a list: "cache.layers", 0 and ".keys" of "cache.layers[0].keys".
struct ObjectPath {
  std::string list;
  size_t index = 0;
  std::string attribute;
};

std::optional<ObjectPath> ParseObjectPath(const std::string& name) {
  const size_t dot = name.rfind("].");
  const size_t open = name.rfind('[', dot);
  if (dot == std::string::npos || open == std::string::npos) return std::nullopt;
  const std::string index = name.substr(open + 1, dot - open - 1);
  if (index.empty() || index.size() > 4 || !std::ranges::all_of(index, IsDigit)) {
    return std::nullopt;
  }
  return ObjectPath{name.substr(0, open), std::stoul(index), name.substr(dot + 1)};
}

/// A size of all objects of a list, by list, attribute, dim and function that marks it.
using Family = std::tuple<std::string, std::string, int32_t, std::string>;

/// The object with the attribute `name`, whatever its place in a list; empty: not an attribute.
std::string ObjectOf(const std::string& name) {
  const std::optional<ObjectPath> path = ParseObjectPath(name);
  const std::string any = path ? path->list + "[*]" + path->attribute : name;
  const size_t dot = any.rfind('.');
  return dot == std::string::npos || dot < any.rfind(']') + 1 ? std::string() : any.substr(0, dot);
}

class MarkWriter {
 public:
  MarkWriter(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
             bool with_unbacked)
      : needs_(needs), dims_(dims), with_unbacked_(with_unbacked) {
    for (const std::string& source : needs.optional) {
      if (const std::string object = ObjectOf(ArgumentExpr(source)); !object.empty()) {
        optional_objects_.insert(object);
      }
    }
    std::map<Family, std::set<size_t>> indices;
    for (const VariedDim* dim : dims) {
      const auto path = ParseObjectPath(ArgumentExpr(dim->first.source));
      if (path) indices[FamilyOf(*path, *dim)].insert(path->index);
    }
    for (const auto& [family, of] : indices) {
      // All from the first on: a list of objects of one kind.
      if (of.size() > 1 && *of.rbegin() == of.size() - 1) families_.insert(family);
    }
  }

  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const VariedDim* dim : dims_) {
      const Variable& variable = dim->first;
      std::string name = "dim " + std::to_string(variable.dim) + " of ";
      if (const std::optional<Family> family = FindFamily(*dim)) {
        name += std::get<0>(*family) + "[*]" + std::get<1>(*family);
      } else if (IsItemOfVaryingLength(needs_, variable)) {
        name += "each item of " + ArgumentExpr(ContainerOf(variable.source));
      } else {
        name += ArgumentExpr(variable.source);
      }
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
  }

  std::string Code() {
    for (const VariedDim* dim : dims_) AddDim(*dim);
    return Joined(statements_, "\n");
  }

 private:
  std::string FunctionOf(const VariedDim& dim) const {
    return with_unbacked_ && dim.second.is_special ? "torch._dynamo.decorators.mark_unbacked"
                                                   : "torch._dynamo.maybe_mark_dynamic";
  }

  Family FamilyOf(const ObjectPath& path, const VariedDim& dim) const {
    return {path.list, path.attribute, dim.first.dim, FunctionOf(dim)};
  }

  std::optional<Family> FindFamily(const VariedDim& dim) const {
    const auto path = ParseObjectPath(ArgumentExpr(dim.first.source));
    if (!path) return std::nullopt;
    Family family = FamilyOf(*path, dim);
    return families_.contains(family) ? std::optional(std::move(family)) : std::nullopt;
  }

  /// Whether some calls have no tensor there. The tensors of one object come and go together, and
  /// only a view has a base.
  bool IsOptional(const Variable& variable) const {
    const std::string name = ArgumentExpr(variable.source);
    return needs_.optional.contains(variable.source) || name.ends_with("._base") ||
           optional_objects_.contains(ObjectOf(name));
  }

  void AddDim(const VariedDim& dim) {
    const Variable& variable = dim.first;
    const std::string name = ArgumentExpr(variable.source);
    const auto mark = [&](const std::string& tensor) {
      return FunctionOf(dim) + "(" + tensor + ", " + std::to_string(variable.dim) + ")";
    };
    const auto under = [](const std::string& condition, const std::string& statement) {
      return condition + ":\n    " + statement;
    };
    const auto with_check = [&](const std::string& tensor) {
      return IsOptional(variable)
                 ? under("if isinstance(" + tensor + ", torch.Tensor)", mark(tensor))
                 : mark(tensor);
    };
    if (const std::optional<Family> family = FindFamily(dim)) {
      const std::string attribute = std::string(kLoopVariable) + std::get<1>(*family);
      AddToLoop(std::get<0>(*family), with_check(attribute));
    } else if (IsItemOfVaryingLength(needs_, variable)) {
      AddToLoop(ArgumentExpr(ContainerOf(variable.source)), mark(std::string(kLoopVariable)));
    } else if (const size_t key = name.rfind('[');
               needs_.missing.contains(variable.source) && key != std::string::npos) {
      Add(under("if " + name.substr(key + 1, name.size() - key - 2) + " in " + name.substr(0, key),
                mark(name)));
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
    std::string body = "\n    ";
    for (const char c : statement) body += c == '\n' ? std::string("\n    ") : std::string(1, c);
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
  std::set<std::string> optional_objects_;
  std::set<Family> families_;
  std::vector<std::string> statements_;
};

}  // namespace

std::string ContainerOf(const std::string& source) {
  return source.ends_with(']') ? source.substr(0, source.rfind('[')) : std::string();
}

bool IsItemOfVaryingLength(const FunctionNeeds& needs, const Variable& variable) {
  return needs.lengths.contains(ContainerOf(variable.source));
}

std::string NamesOf(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims) {
  std::vector<std::string> names = MarkWriter(needs, dims, /*with_unbacked=*/false).Names();
  const std::string last = names.back();
  names.pop_back();
  return names.empty() ? last : Joined(names, ", ") + " and " + last;
}

std::string MarkCode(const FunctionNeeds& needs, const std::vector<const VariedDim*>& dims,
                     bool with_unbacked) {
  return MarkWriter(needs, dims, with_unbacked).Code();
}

}  // namespace shapewise
