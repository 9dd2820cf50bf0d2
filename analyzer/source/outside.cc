#include "source/outside.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <iterator>
#include <tuple>
#include <utility>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/StringSaver.h"
#include "source/outside_effect.h"
#include "source/outside_table.h"

namespace shapewise {
namespace {

/// The rows of one table, by name without the prefix.
using RowsByName = llvm::DenseMap<llvm::StringRef, OutsideRow>;

/// The words for Gives in the files.
// clang-format off
constexpr std::string_view kGivesNames[] = {
    "unknown", "none", "setting", "fixed_int", "fixed_float", "dtype", "text", "object",
    "mapping", "sequence", "first", "tensor", "filled", "integers", "mask", "elementwise", "floating",
    "running", "like", "view", "in_place", "to_float", "to_integers", "to_mask", "to",
    "numbers", "parameter", "scalar", "loss", "sparse", "reduce", "reduce_mask",
    "reduce_integers", "reduce_after_one", "reduce_or_pair", "pair", "tensors", "many_tensors",
    "unknown_size", "nonzero", "unique", "where", "repeat_each", "one_hot", "prototype_result",
    "item", "items", "truth_of_data", "shape_or_size", "shape", "int_from_size", "sizes",
    "to_array", "module", "module_of_loss", "module_of_pair", "module_list", "math_float",
    "math_int", "math_bool", "length", "as_int", "as_float", "as_bool", "drawn_int",
    "drawn_float", "extremum", "count", "collect",
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

/// Reads "view", "view(sizes 0 size)" or "object(as logging.Logger)".
OutsideGroup ReadGroup(llvm::StringRef text) {
  auto [name, details] = text.split('(');
  details.consume_back(")");
  const auto* const gives = std::ranges::find(kGivesNames, std::string_view(name));
  assert(gives != std::end(kGivesNames) && "a result has no such name");
  OutsideGroup group{.gives = static_cast<Gives>(gives - std::begin(kGivesNames))};
  if (details.consume_front("as ")) {
    group.type = details;
  } else if (!details.empty()) {
    group.numbers = ReadNumbers(details);
  }
  return group;
}

/// All rows, by the prefixes of their tables.
llvm::StringMap<RowsByName> IndexTables() {
  llvm::StringMap<RowsByName> all;
  static std::deque<OutsideGroup> groups;
  static llvm::BumpPtrAllocator memory;
  llvm::StringSaver names(memory);
  for (const EmbeddedFile& file : OutsideTables()) {
    if (IsAliasFile(file)) continue;
    llvm::StringRef prefix;
    ValueKind makes = ValueKind::kTensor;
    llvm::StringRef text = file.text;
    while (!text.empty()) {
      llvm::StringRef line;
      std::tie(line, text) = text.split('\n');
      if (line.empty() || line.front() == '#') continue;
      if (line.consume_front("[")) {
        std::tie(prefix, line) = line.split(']');
        makes = line == " array"    ? ValueKind::kArray
                : line == " python" ? ValueKind::kUnknown
                                    : ValueKind::kTensor;
        continue;
      }
      if (line.front() != ' ') {
        const auto [head, rest] = line.split(": ");
        groups.push_back(ReadGroup(head));
        line = rest;
      }
      RowsByName& rows = all[prefix];
      for (line = line.ltrim(); !line.empty();) {
        llvm::StringRef name;
        std::tie(name, line) = line.split(' ');
        const OutsideRow row{names.save(prefix + name), &groups.back(), makes};
        [[maybe_unused]] const bool is_new = rows.try_emplace(name, row).second;
        assert(is_new && "a name is in two groups");
      }
    }
  }
  return all;
}

/// The rows with `prefix`; null: no table has it.
const RowsByName* FindRows(std::string_view prefix) {
  static const llvm::StringMap<RowsByName> tables = IndexTables();
  const auto found = tables.find(llvm::StringRef(prefix));
  return found == tables.end() ? nullptr : &found->second;
}

/// The result of calling an object of the class `type`.
OutsideEffect EffectOfModule(std::string_view type) {
  OutsideEffect effect;
  const OutsideRow row = FindOutside(type);
  const Gives gives = row.group != nullptr ? row.group->gives : Gives::kUnknown;
  const int made = Bit(Trait::kMade);
  switch (gives) {
    case Gives::kModule:
      effect.is_known = true;
      effect.result = MakeValue(ValueKind::kTensor, made);
      return effect;
    case Gives::kModuleOfLoss:
      effect.is_known = true;
      effect.result = MakeValue(ValueKind::kTensor, made | Bit(Trait::kOneElement), 90);
      return effect;
    case Gives::kModuleOfPair:
      effect.is_known = true;
      effect.result = MakeValue(ValueKind::kSequence);
      effect.element = MakeValue(ValueKind::kTensor, made, 90);
      return effect;
    default:
      // An unknown module: most return one tensor.
      effect.result = MakeValue(ValueKind::kTensor, made, 80);
      return effect;
  }
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

bool HasOutside(std::string_view prefix) { return FindRows(prefix) != nullptr; }

OutsideRow FindOutside(std::string_view prefix, std::string_view name) {
  const RowsByName* rows = FindRows(prefix);
  return rows == nullptr ? OutsideRow() : rows->lookup(llvm::StringRef(name));
}

uint8_t OwnersOf(std::string_view method) {
  static const llvm::DenseMap<llvm::StringRef, uint8_t> owners = [] {
    constexpr std::pair<std::string_view, MethodOwner> kPrefixes[] = {
        {"torch.Tensor.", MethodOwner::kTensor},
        {"numpy.ndarray.", MethodOwner::kArray},
        {"dict.", MethodOwner::kDict},
        {"list.", MethodOwner::kList},
        {"str.", MethodOwner::kText},
        {"int.", MethodOwner::kNumber},
        {"float.", MethodOwner::kNumber},
        {"torch.nn.Module.", MethodOwner::kModule},
        {"torch.Size.", MethodOwner::kSize}};
    llvm::DenseMap<llvm::StringRef, uint8_t> all;
    for (const auto& [prefix, owner] : kPrefixes) {
      const RowsByName* rows = FindRows(prefix);
      if (rows == nullptr) continue;
      for (const auto& row : *rows) all[row.first] |= Bit(owner);
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
  std::string_view prefix;
  switch (kind) {
    case ValueKind::kTensor:
      prefix = "torch.Tensor.";
      break;
    case ValueKind::kArray:
      prefix = "numpy.ndarray.";
      break;
    case ValueKind::kShape:
      prefix = "torch.Size.";
      break;
    case ValueKind::kText:
      prefix = "str.";
      break;
    case ValueKind::kSequence:
      prefix = "list.";
      break;
    case ValueKind::kMapping:
      prefix = "dict.";
      break;
    case ValueKind::kBool:
    case ValueKind::kInt:
      prefix = "int.";
      break;
    case ValueKind::kFloat:
      prefix = "float.";
      break;
    case ValueKind::kModule:
      prefix = "torch.nn.Module.";
      break;
    default:
      return {};
  }
  const OutsideRow row = FindOutside(prefix, name);
  return row.name;
}

}  // namespace shapewise
