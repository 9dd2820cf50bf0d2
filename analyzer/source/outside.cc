#include "shapewise/source/outside.h"

#include <algorithm>
#include <array>
#include <vector>

#include "source/outside_effect.h"
#include "source/outside_table.h"

namespace shapewise {
namespace {

/// All tables, ascending by prefix.
const std::vector<OutsideTableView>& Tables() {
  static const std::vector<OutsideTableView> tables = [] {
    std::vector<OutsideTableView> all;
    for (const auto& part :
         {TorchTables(), TensorMethodTables(), ModuleTables(), NumpyTables(), PythonTables()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    std::sort(all.begin(), all.end(), [](const OutsideTableView& a, const OutsideTableView& b) {
      return a.prefix < b.prefix;
    });
    return all;
  }();
  return tables;
}

const OutsideTableView* FindTable(std::string_view prefix) {
  const auto& tables = Tables();
  const auto found = std::lower_bound(
      tables.begin(), tables.end(), prefix,
      [](const OutsideTableView& table, std::string_view p) { return table.prefix < p; });
  return found != tables.end() && found->prefix == prefix ? &*found : nullptr;
}

/// What calling an object of the class `type` gives.
OutsideEffect EffectOfModule(std::string_view type) {
  OutsideEffect effect;
  const OutsideRow row = FindOutside(type);
  const Gives gives = row.entry != nullptr ? row.entry->group->gives : Gives::kUnknown;
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
      // A module that nobody knows: most give one tensor.
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

OutsideRow FindOutside(std::string_view prefix, std::string_view name) {
  const OutsideTableView* table = FindTable(prefix);
  if (table == nullptr) return {};
  const auto found = std::lower_bound(table->entries.begin(), table->entries.end(), name,
                                      [&](const OutsideEntry& entry, std::string_view n) {
                                        return entry.name.substr(prefix.size()) < n;
                                      });
  if (found == table->entries.end() || found->name.substr(prefix.size()) != name) return {};
  return {&*found, table->makes};
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
  if (row.entry == nullptr) return EffectOfUnknown(standard);
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
  return row.entry != nullptr ? row.entry->name : std::string_view();
}

}  // namespace shapewise
