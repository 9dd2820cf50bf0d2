#include "source/outside.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <iterator>
#include <tuple>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include "source/outside_table.h"

namespace shapewise {
namespace {

/// The rows of one table, by name without the prefix.
using RowsByName = llvm::DenseMap<llvm::StringRef, OutsideRow>;

/// The words for Gives in the files.
// clang-format off
constexpr std::string_view kGivesNames[] = {
    "unknown", "value", "text", "object", "sequence", "first", "tensor", "filled", "integers",
    "mask", "elementwise", "floating", "running", "like", "view", "in_place", "to_float",
    "to_integers", "to_mask", "to", "numbers", "parameter", "scalar", "loss", "sparse",
    "reduce", "reduce_mask", "reduce_integers", "reduce_after_one", "reduce_or_pair", "pair",
    "tensors", "many_tensors", "unknown_size", "nonzero", "unique", "where", "repeat_each",
    "one_hot", "prototype_result", "item", "items", "truth_of_data", "shape_or_size", "shape",
    "int_from_size", "sizes", "to_array", "module", "module_of_loss", "module_of_pair",
    "module_list", "math_float", "math_int", "math_bool", "length", "as_int", "as_float",
    "as_bool", "extremum", "count", "collect",
};
// clang-format on
static_assert(std::size(kGivesNames) == static_cast<size_t>(Gives::kCollect) + 1);

/// Reads "sizes 0 1 size stride": positions, then keywords.
Numbers ReadNumbers(llvm::StringRef text) {
  const auto [kind, words] = text.split(' ');
  Numbers numbers{.keywords = words, .is_size = kind == "sizes"};
  while (!numbers.keywords.empty()) {
    const auto [word, rest] = llvm::StringRef(numbers.keywords).split(' ');
    unsigned position = 0;
    if (word == "all") {
      numbers.positions = kEveryPosition;
    } else if (!word.getAsInteger(10, position)) {
      numbers.positions |= 1U << position;
    } else {
      break;
    }
    numbers.keywords = rest;
  }
  return numbers;
}

/// Reads "view", "view(sizes 0 size)", "object(as logging.Logger)" or "bool constant".
OutsideGroup ReadGroup(llvm::StringRef text) {
  auto [name, details] = text.split('(');
  details.consume_back(")");
  const auto* const gives = std::ranges::find(kGivesNames, std::string_view(name));
  OutsideGroup group{.gives = static_cast<Gives>(gives - std::begin(kGivesNames))};
  if (gives == std::end(kGivesNames)) {
    group.gives = Gives::kValue;
    group.value = ReadValue(name);
  }
  if (details.consume_front("as ")) {
    group.type = details;
  } else if (!details.empty()) {
    group.numbers = ReadNumbers(details);
  }
  return group;
}

/// Packages that have the same names as another one.
struct PackageAlias {
  std::string_view package;
  std::string_view standard;
};

constexpr PackageAlias kPackageAliases[] = {
    {"torch.distributions.", "torch.distributions."},
    {"torch.distributed.distributed_c10d.", "torch.distributed."},
    {"torch.functional.", "torch."},
    {"torch.nn.modules.", "torch.nn."},
    {"torch._tensor.", "torch."},
    {"numpy.core.", "numpy."},
};

/// All rows, by the prefixes of their tables.
llvm::StringMap<RowsByName> IndexTables() {
  llvm::StringMap<RowsByName> all;
  static std::deque<OutsideGroup> groups;
  static llvm::BumpPtrAllocator memory;
  llvm::StringSaver names(memory);
  for (const EmbeddedFile& file : OutsideTables()) {
    if (file.path.ends_with("/aliases.txt") || file.path.ends_with("/values.txt")) continue;
    const char* group = nullptr;
    ForEachName(file.text,
                [&](llvm::StringRef name, llvm::StringRef head, llvm::StringRef section) {
                  if (head.data() != group) groups.push_back(ReadGroup(head));
                  group = head.data();
                  const auto [prefix, kind] = section.split(']');
                  const ValueKind makes = kind == " array"    ? ValueKind::kArray
                                          : kind == " python" ? ValueKind::kUnknown
                                                              : ValueKind::kTensor;
                  const OutsideRow row{names.save(prefix + name), &groups.back(), makes};
                  [[maybe_unused]] const bool is_new = all[prefix].try_emplace(name, row).second;
                  assert(is_new && "a name is in two groups");
                });
  }
  return all;
}

/// The standard names in aliases.txt, by the others.
llvm::DenseMap<llvm::StringRef, std::string_view> ReadAliases() {
  llvm::DenseMap<llvm::StringRef, std::string_view> standards;
  ForEachName(OutsideFile("aliases.txt"),
              [&](llvm::StringRef name, llvm::StringRef standard, llvm::StringRef /*section*/) {
                standards[name] = standard;
              });
  return standards;
}

/// The rows with `prefix`; null: no table has it.
const RowsByName* FindRows(std::string_view prefix) {
  static const llvm::StringMap<RowsByName> tables = IndexTables();
  const auto found = tables.find(llvm::StringRef(prefix));
  return found == tables.end() ? nullptr : &found->second;
}

/// The classes of values with methods, and the prefixes of their tables.
struct MethodPrefix {
  ValueKind kind;
  MethodOwner owner;
  std::string_view prefix;
};

constexpr MethodPrefix kMethodPrefixes[] = {
    {ValueKind::kTensor, MethodOwner::kTensor, "torch.Tensor."},
    {ValueKind::kArray, MethodOwner::kArray, "numpy.ndarray."},
    {ValueKind::kShape, MethodOwner::kSize, "torch.Size."},
    {ValueKind::kText, MethodOwner::kText, "str."},
    {ValueKind::kSequence, MethodOwner::kList, "list."},
    {ValueKind::kMapping, MethodOwner::kDict, "dict."},
    {ValueKind::kBool, MethodOwner::kNumber, "int."},
    {ValueKind::kInt, MethodOwner::kNumber, "int."},
    {ValueKind::kFloat, MethodOwner::kNumber, "float."},
    {ValueKind::kModule, MethodOwner::kModule, "torch.nn.Module."},
};

/// The result of calling an object of the class `type`.
OutsideEffect EffectOfModule(std::string_view type) {
  const OutsideRow row = FindOutside(type);
  const Gives gives = row.group != nullptr ? row.group->gives : Gives::kUnknown;
  const bool is_loss = gives == Gives::kModuleOfLoss;
  OutsideEffect effect;
  effect.is_known = gives == Gives::kModule || is_loss || gives == Gives::kModuleOfPair;
  // An unknown module: most return one tensor.
  const uint8_t certainty = gives == Gives::kModule ? 100 : effect.is_known ? 90 : 80;
  effect.result = MakeValue(ValueKind::kTensor,
                            Bit(Trait::kMade) | (is_loss ? Bit(Trait::kOneElement) : 0), certainty);
  if (gives != Gives::kModuleOfPair) return effect;
  effect.element = std::exchange(effect.result, MakeValue(ValueKind::kSequence));
  return effect;
}

OutsideEffect EffectOfUnknown(const OutsideCall& call) {
  OutsideEffect effect;
  if (!call.name.starts_with("torch.")) return effect;
  const auto is_tensor = [](const Value& value) { return value.IsTensor(); };
  if (is_tensor(call.subject) ||
      std::any_of(call.arguments.begin(), call.arguments.end(), is_tensor)) {
    effect.result = MakeValue(ValueKind::kTensor, Bit(Trait::kMade), 50);
  }
  return effect;
}

}  // namespace

std::string_view OutsideFile(std::string_view name) {
  const auto files = OutsideTables();
  return std::ranges::find_if(files,
                              [&](const EmbeddedFile& file) { return file.path.ends_with(name); })
      ->text;
}

void ForEachName(llvm::StringRef text,
                 llvm::function_ref<void(llvm::StringRef, llvm::StringRef, llvm::StringRef)> see) {
  llvm::StringRef section;
  llvm::StringRef head;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    if (line.empty() || line.front() == '#') continue;
    if (line.consume_front("[")) {
      section = line;
      continue;
    }
    if (line.front() != ' ') std::tie(head, line) = line.split(": ");
    for (line = line.ltrim(); !line.empty();) {
      llvm::StringRef name;
      std::tie(name, line) = line.split(' ');
      see(name, head, section);
    }
  }
}

bool HasOutside(std::string_view prefix) { return FindRows(prefix) != nullptr; }

OutsideRow FindOutside(std::string_view prefix, std::string_view name) {
  const RowsByName* rows = FindRows(prefix);
  return rows == nullptr ? OutsideRow() : rows->lookup(llvm::StringRef(name));
}

uint8_t OwnersOf(std::string_view method) {
  static const llvm::DenseMap<llvm::StringRef, uint8_t> owners = [] {
    llvm::DenseMap<llvm::StringRef, uint8_t> all;
    for (const MethodPrefix& one : kMethodPrefixes) {
      const RowsByName* rows = FindRows(one.prefix);
      if (rows == nullptr) continue;
      for (const auto& row : *rows) all[row.first] |= Bit(one.owner);
    }
    return all;
  }();
  return owners.lookup(llvm::StringRef(method));
}

OutsideRow FindOutside(std::string_view dotted) {
  const size_t dot = dotted.rfind('.');
  if (dot == std::string_view::npos) return {};
  return FindOutside(dotted.substr(0, dot + 1), dotted.substr(dot + 1));
}

std::string_view CanonicalName(std::string_view dotted) {
  static const llvm::DenseMap<llvm::StringRef, std::string_view> aliases = ReadAliases();
  const auto found = aliases.find({dotted.data(), dotted.size()});
  if (found != aliases.end()) return found->second;
  for (const PackageAlias& alias : kPackageAliases) {
    if (!dotted.starts_with(alias.package)) continue;
    const std::string_view last = dotted.substr(dotted.rfind('.') + 1);
    const OutsideRow row = FindOutside(alias.standard, last);
    if (row.group != nullptr) return row.name;
  }
  return dotted;
}

OutsideEffect EffectOf(const OutsideCall& call) {
  OutsideCall standard = call;
  standard.name = CanonicalName(call.name);
  for (const std::string_view end : {".__call__", ".forward"}) {
    if (standard.name.ends_with(end)) {
      return EffectOfModule(standard.name.substr(0, standard.name.size() - end.size()));
    }
  }
  const OutsideRow row = FindOutside(standard.name);
  if (row.group == nullptr) return EffectOfUnknown(standard);
  return EffectOfRow(standard, row);
}

std::string_view MethodName(ValueKind kind, std::string_view name) {
  const auto has_kind = [&](const MethodPrefix& one) { return one.kind == kind; };
  const auto* const found = std::ranges::find_if(kMethodPrefixes, has_kind);
  return found != std::end(kMethodPrefixes) ? FindOutside(found->prefix, name).name : "";
}

}  // namespace shapewise
