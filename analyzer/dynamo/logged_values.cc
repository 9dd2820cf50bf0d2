#include "dynamo/logged_values.h"

#include <algorithm>
#include <utility>

#include "model/call_history_builder.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "support/text_list.h"

namespace shapewise {
namespace {

/// The name that programs use for what tensor checks print as c10 does.
/// Source: c10/core/ScalarType.h, torch/csrc/utils/tensor_dtypes.cpp.
std::string DtypeOf(std::string_view printed) {
  constexpr std::pair<std::string_view, std::string_view> kNames[] = {
      {"Byte", "torch.uint8"},
      {"Char", "torch.int8"},
      {"Short", "torch.int16"},
      {"Int", "torch.int32"},
      {"Long", "torch.int64"},
      {"Half", "torch.float16"},
      {"Float", "torch.float32"},
      {"Double", "torch.float64"},
      {"ComplexHalf", "torch.complex32"},
      {"ComplexFloat", "torch.complex64"},
      {"ComplexDouble", "torch.complex128"},
      {"Bool", "torch.bool"},
      {"BFloat16", "torch.bfloat16"},
  };
  for (const auto& [name, dtype] : kNames) {
    if (printed == name) return std::string(dtype);
  }
  return std::string(printed);
}

/// "Parameter" of "<class 'torch.nn.parameter.Parameter'>".
std::string ClassName(std::string_view printed) {
  const size_t quote = printed.find('\'');
  const size_t end = printed.rfind('\'');
  if (quote != std::string_view::npos && end > quote) {
    printed = printed.substr(quote + 1, end - quote - 1);
  }
  return std::string(printed.substr(printed.rfind('.') + 1));
}

/// "int" of "___check_type_id(n, 140500669922528), type=<class 'int'>"; empty: not printed.
std::string TypeOfGuard(std::string_view guard) {
  constexpr std::string_view kType = "type=<class '";
  const size_t at = guard.find(kType);
  if (at == std::string_view::npos) return {};
  guard = guard.substr(at + kType.size());
  return ClassName(guard.substr(0, guard.find('\'')));
}

/// Guards are sources of their own, without a frame's L[...].
std::string FullName(std::string_view name) {
  return name.starts_with(kGuardPrefix) ? std::string(name) : DynamoSource(name);
}

std::string_view WithoutQuotes(std::string_view text) {
  if (text.size() >= 2 && IsQuote(text.front()) && text.back() == text.front()) {
    return text.substr(1, text.size() - 2);
  }
  return text;
}

/// Calls `put` with the position and value of each element of "[4, None, 16]" that is a number;
/// returns how many elements there are.
template <typename Put>
int32_t ForNumbers(std::string_view list, const Put& put) {
  int32_t position = 0;
  for (const std::string_view element : ListElements(list)) {
    if (const auto value = ParseNumber(element)) put(position, *value);
    ++position;
  }
  return position;
}

/// The value that a guard on a plain value expects.
std::optional<LoggedScalar> ScalarOf(GuardClass guard_class, std::string_view expected) {
  using Kind = CallValue::Kind;
  switch (guard_class) {
    case GuardClass::kInt:
    case GuardClass::kLength: {
      const auto value = ParseNumber(expected);
      if (!value) return std::nullopt;
      const Kind kind = guard_class == GuardClass::kInt ? Kind::kInt : Kind::kLength;
      return LoggedScalar{.kind = kind, .integer = *value, .text = {}};
    }
    case GuardClass::kFloat: {
      const auto value = ParseNumber<double>(expected);
      if (!value) return std::nullopt;
      return LoggedScalar{.kind = Kind::kFloat, .number = *value, .text = {}};
    }
    case GuardClass::kBool:
      if (expected != "True" && expected != "False") return std::nullopt;
      return LoggedScalar{.kind = Kind::kBool, .integer = expected == "True" ? 1 : 0, .text = {}};
    case GuardClass::kStr:
      return LoggedScalar{.kind = Kind::kStr, .text = std::string(WithoutQuotes(expected))};
    case GuardClass::kNone:
      if (expected != "None") return std::nullopt;
      return LoggedScalar{.kind = Kind::kNone, .text = {}};
    default:
      return std::nullopt;
  }
}

bool IsTensorClass(GuardClass guard_class) {
  switch (guard_class) {
    case GuardClass::kSize:
    case GuardClass::kStride:
    case GuardClass::kNdim:
    case GuardClass::kDtype:
    case GuardClass::kDevice:
    case GuardClass::kRequiresGrad:
    case GuardClass::kDispatchKeys:
      return true;
    default:
      return false;
  }
}

/// Stores one side of a tensor check.
void NoteTensor(const Reason& reason, GuardClass guard_class, std::string_view value,
                LoggedTensor& tensor) {
  if (value.empty()) return;
  const auto number = ParseNumber(value);
  switch (guard_class) {
    case GuardClass::kSize:
      if (number && reason.dim >= 0) tensor.sizes.insert_or_assign(reason.dim, *number);
      break;
    case GuardClass::kStride:
      if (number && reason.dim >= 0) tensor.strides.insert_or_assign(reason.dim, *number);
      break;
    case GuardClass::kNdim:
      if (number) tensor.rank = static_cast<int32_t>(std::clamp<int64_t>(*number, 0, 64));
      break;
    case GuardClass::kDtype:
      tensor.dtype = DtypeOf(value);
      break;
    case GuardClass::kDevice:
      tensor.device = value;
      break;
    case GuardClass::kRequiresGrad:
      tensor.requires_grad = value == "1" || value == "True";
      break;
    case GuardClass::kDispatchKeys:
      tensor.keys = std::string(value);
      break;
    default:
      break;
  }
}

std::optional<MarkKind> MarkOf(std::string_view attribute) {
  if (attribute == "dynamic_indices") return MarkKind::kDynamic;
  if (attribute == "weak_dynamic_indices") return MarkKind::kMaybe;
  if (attribute == "static_indices") return MarkKind::kStatic;
  if (attribute == "unbacked_indices") return MarkKind::kUnbacked;
  return std::nullopt;
}

}  // namespace

LoggedValues::LoggedValues(const Session& session, const CodeObjectHistory& function)
    : session_(session), function_(function) {
  max_sources_ = std::clamp(kMaxValues / (function.attempts.size() + 1), kMinSources, kMaxSources);
  for (const auto& [number, attempt] : function.attempts) {
    if (attempt.compilation != nullptr) {
      AddShapes(attempt.compilation->shapes, number);
      AddGuards(attempt.compilation->guard_texts, number);
      AddSymbols(attempt.compilation->symbols, number);
    }
    if (attempt.guards != nullptr) {
      AddGuards(attempt.guards->guard_texts, number);
      AddSymbols(attempt.guards->symbols, number);
    }
  }
  for (const auto& [number, attempt] : function.attempts) {
    attempts_.push_back(number);
    const Event* record = attempt.miss != nullptr ? attempt.miss : attempt.limit;
    const bool is_first = number == function.attempts.begin()->first;
    const bool has_reasons =
        record != nullptr &&
        std::ranges::any_of(session.detail(*record).reasons(), [&](ReasonId reason) {
          return session.reason(reason).guard_class != GuardClass::kEmpty;
        });
    has_all_reasons_ &= is_first || has_reasons;
    if (!is_first && !has_reasons && attempt.compilation == nullptr && attempt.guards == nullptr) {
      unexplained_.insert(number);
    }
    if (record == nullptr) continue;
    const EventDetail& detail = session.detail(*record);
    const auto entries = function.EntriesOf(session, detail, number);
    for (size_t i = 0; i < entries.size(); ++i) {
      AddReason(session.reason(detail.reasons()[i]), entries[i], number);
    }
    AddState(detail, number);
  }
}

LoggedSource* LoggedValues::Source(std::string_view name) {
  const std::string full = FullName(name);
  const auto found = source_ids_.find(full);
  if (found != source_ids_.end()) return &sources_[found->second];
  if (sources_.size() >= max_sources_) return nullptr;
  source_ids_.emplace(full, sources_.size());
  LoggedSource& source = sources_.emplace_back();
  source.name = full;
  return &source;
}

const LoggedSource* LoggedValues::Find(std::string_view name) const {
  const auto found = source_ids_.find(FullName(name));
  return found == source_ids_.end() ? nullptr : &sources_[found->second];
}

LoggedTensor* LoggedValues::Tensor(std::string_view name, uint32_t attempt) {
  LoggedSource* source = Source(name);
  return source == nullptr ? nullptr : &source->tensors[attempt];
}

void LoggedValues::AddReason(const Reason& reason, std::optional<uint32_t> entry,
                             uint32_t attempt) {
  const std::string_view source_name = session_.text(reason.source);
  const std::string_view expected = session_.text(reason.expected);
  const std::string_view actual = session_.text(reason.actual);
  if (reason.guard_class == GuardClass::kGlobalState) return;  // AddState
  const bool is_constant = reason.value_type == PythonType::kDtype ||
                           reason.value_type == PythonType::kDevice;  // v == torch.float32
  if (!source_name.empty() && IsTensorClass(reason.guard_class) && !is_constant) {
    if (entry) {
      if (LoggedTensor* tensor = Tensor(source_name, *entry)) {
        NoteTensor(reason, reason.guard_class, expected, *tensor);
      }
    }
    if (LoggedTensor* tensor = Tensor(source_name, attempt)) {
      NoteTensor(reason, reason.guard_class, actual, *tensor);
    }
    return;
  }
  if (reason.guard_class == GuardClass::kSymbolic) {  // the record contains no value
    const std::string_view guard = session_.text(reason.guard);
    const bool is_known = std::ranges::find(failed_relations_, guard) != failed_relations_.end();
    const bool is_duck = session_.text(reason.hint) == "use_duck_shape";
    if (!is_duck && !is_known && failed_relations_.size() < kMaxRelations) {
      failed_relations_.emplace_back(guard);
    }
    return;
  }
  if (reason.guard_class == GuardClass::kZeroOne) {
    LoggedTensor* tensor = reason.dim < 0 ? nullptr : Tensor(source_name, attempt);
    // 0 or 1: which of them is known only if an entry with that static size failed, too.
    if (tensor != nullptr) tensor->sizes.try_emplace(reason.dim, 1);
    return;
  }
  if (!source_name.empty()) {
    if (const auto scalar = ScalarOf(reason.guard_class, expected)) {
      LoggedSource* source = Source(source_name);
      if (source == nullptr) return;
      if (entry) source->scalars.insert_or_assign(*entry, *scalar);
      source->others[attempt].push_back(*scalar);
      return;
    }
    if (reason.guard_class == GuardClass::kType && !actual.empty()) {
      LoggedSource* source = Source(source_name);
      if (source == nullptr) return;
      const std::string name = ClassName(actual);
      if (name == "NoneType") {
        source->scalars.insert_or_assign(attempt,
                                         LoggedScalar{.kind = CallValue::Kind::kNone, .text = {}});
      } else {
        source->tensors[attempt].type = name;
      }
      if (entry) source->tensors.try_emplace(*entry);
      return;
    }
  }
  const std::string type = reason.guard_class == GuardClass::kType && !source_name.empty()
                               ? TypeOfGuard(session_.text(reason.guard))
                               : std::string();
  if (!type.empty()) {
    if (LoggedSource* source = Source(source_name)) {
      if (entry) source->types.insert_or_assign(*entry, type);
      source->other_types[attempt].push_back(type);
    }
  }
  // Anything else: a guard that was true when the entry was made and is false now.
  const std::string_view guard = session_.text(reason.guard);
  LoggedSource* source = source_name.empty() || expected.empty()
                             ? Source(std::string(kGuardPrefix) + std::string(guard))
                             : Source(source_name);
  if (source == nullptr) return;
  if (!source_name.empty()) source->about = DynamoSource(source_name);
  const LoggedScalar held{.text = expected.empty() ? "holds" : std::string(expected)};
  if (entry) source->scalars.insert_or_assign(*entry, held);
  source->others[attempt].push_back(held);
}

// Guards on the global state come first. So an entry that failed on another guard was made under
// the state of this call, and one that failed on the state differs in the printed words.
void LoggedValues::AddState(const EventDetail& detail, uint32_t attempt) {
  const auto state_of = [&](uint32_t number) {
    const auto found = states_.upper_bound(number);
    return found == states_.begin() ? std::string() : std::prev(found)->second;
  };
  std::optional<std::string> state;
  std::set<std::string> failed;  // states of entries that were made under another one
  const auto entries = function_.EntriesOf(session_, detail, attempt);
  for (size_t i = 0; i < entries.size(); ++i) {
    const std::optional<uint32_t> entry = entries[i];
    if (!entry) continue;
    const Reason& reason = session_.reason(detail.reasons()[i]);
    const std::string before = state_of(*entry);
    if (reason.guard_class != GuardClass::kGlobalState) {
      state = before;
      break;
    }
    failed.insert(before);
    if (state) continue;
    std::set<std::string> words;
    const auto toggle = [&words](std::string_view text) {
      while (!text.empty()) {
        const size_t space = text.find(' ');
        const std::string word(text.substr(0, space));
        if (!word.empty() && !words.insert(word).second) words.erase(word);
        text = space == std::string_view::npos ? std::string_view() : text.substr(space + 1);
      }
    };
    const std::string_view actual = session_.text(reason.actual);
    toggle(before);
    toggle(actual.empty() ? std::string_view("function_modes") : actual);
    std::string text = Joined(words, " ");
    state = text;
  }
  if (!state) return;
  // A word for more than two states.
  if (failed.contains(*state)) *state += (state->empty() ? "#" : " #") + std::to_string(attempt);
  if (*state != state_of(attempt)) states_[attempt] = *state;
}

void LoggedValues::AddTensorGuard(const ShapeGuard& guard, uint32_t attempt) {
  LoggedTensor* tensor = Tensor(session_.text(guard.source), attempt);
  if (tensor == nullptr) return;
  tensor->rank = ForNumbers(session_.text(guard.text), [&](int32_t dim, int64_t size) {
    tensor->sizes.insert_or_assign(dim, size);
  });
  ForNumbers(session_.text(guard.stride),
             [&](int32_t dim, int64_t stride) { tensor->strides.insert_or_assign(dim, stride); });
  // "Tensor, DispatchKeySet(CPU, ...), torch.float32, device=None, requires_grad=False"
  const std::string_view properties = session_.text(guard.properties);
  tensor->type = properties.substr(0, properties.find(','));
  const size_t keys = properties.find("DispatchKeySet(");
  if (keys != std::string_view::npos) {
    // Tensors made under inference_mode lack this key.
    const bool is_inference = properties.find("ADInplaceOrView") == std::string_view::npos;
    tensor->keys = is_inference ? "inference" : "";
  }
  const size_t dtype = properties.find(", torch.");
  if (dtype != std::string_view::npos) {
    const std::string_view rest = properties.substr(dtype + 2);
    tensor->dtype = rest.substr(0, rest.find(','));
  }
  if (properties.find("requires_grad=") != std::string_view::npos) {
    tensor->requires_grad = properties.find("requires_grad=True") != std::string_view::npos;
  }
}

void LoggedValues::AddGuards(const GuardTexts& guards, uint32_t attempt) {
  for (const ShapeGuard& guard : guards.shape) {
    switch (guard.kind) {
      case ShapeGuard::Kind::kTensor:
        AddTensorGuard(guard, attempt);
        break;
      case ShapeGuard::Kind::kValue:
      case ShapeGuard::Kind::kLength: {
        const auto value = ParseNumber(session_.text(guard.text));
        if (!value) break;
        LoggedSource* source = Source(session_.text(guard.source));
        if (source == nullptr) break;
        const bool is_value = guard.kind == ShapeGuard::Kind::kValue;
        source->scalars.insert_or_assign(
            attempt,
            LoggedScalar{.kind = is_value ? CallValue::Kind::kInt : CallValue::Kind::kLength,
                         .integer = *value,
                         .text = {}});
        break;
      }
      case ShapeGuard::Kind::kMark: {
        LoggedTensor* tensor = Tensor(session_.text(guard.source), attempt);
        if (tensor == nullptr) break;
        tensor->has_marks = true;
        const auto kind = MarkOf(session_.text(guard.properties));
        std::string dims(session_.text(guard.text));
        if (!kind || dims.size() < 2) break;
        dims.front() = '[';
        dims.back() = ']';
        ForNumbers(dims, [&](int32_t, int64_t dim) {
          DimMark& mark = tensor->marks.emplace_back();
          mark.dim = static_cast<int32_t>(dim);
          mark.kind = *kind;
        });
        break;
      }
      case ShapeGuard::Kind::kRelation:
        break;
    }
  }
}

void LoggedValues::AddSymbols(const std::vector<SymbolFact>& symbols, uint32_t attempt) {
  for (const SymbolFact& fact : symbols) {
    if (fact.kind != SymbolFact::Kind::kCreated) continue;
    const auto value = ParseNumber(session_.text(fact.value));
    if (!value) continue;
    const SourceRef size = ParseSource(session_.text(fact.source));
    if (size.object.empty()) continue;
    if (size.property == SourceRef::Property::kValue) {
      if (LoggedSource* source = Source(size.object)) {
        source->scalars.insert_or_assign(
            attempt, LoggedScalar{.kind = CallValue::Kind::kInt, .integer = *value, .text = {}});
      }
      continue;
    }
    LoggedTensor* tensor = Tensor(size.object, attempt);
    if (tensor == nullptr) continue;
    if (size.property == SourceRef::Property::kSize) {
      tensor->sizes.insert_or_assign(size.dim, *value);
    } else if (size.property == SourceRef::Property::kStride) {
      tensor->strides.insert_or_assign(size.dim, *value);
    } else if (size.property == SourceRef::Property::kStorageOffset) {
      tensor->storage_offset = value;
    }
  }
}

void LoggedValues::AddShapes(const std::vector<InputShape>& shapes, uint32_t attempt) {
  for (const InputShape& shape : shapes) {
    LoggedTensor* tensor = Tensor(session_.text(shape.source), attempt);
    if (tensor == nullptr) continue;
    const int32_t rank = ForNumbers(session_.text(shape.shape), [&](int32_t dim, int64_t size) {
      tensor->sizes.insert_or_assign(dim, size);
    });
    tensor->rank = rank;
    ForNumbers(session_.text(shape.stride),
               [&](int32_t dim, int64_t stride) { tensor->strides.insert_or_assign(dim, stride); });
    tensor->dtype = session_.text(shape.dtype);
  }
}

}  // namespace shapewise
