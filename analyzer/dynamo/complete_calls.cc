#include "dynamo/run_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "model/call_history_builder.h"
#include "model/source_ref.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

CallValue ValueAt(const CallSignature& signature, size_t source) {
  return source < signature.values.size() ? signature.values[source] : CallValue();
}

const CallSignature& SignatureOf(const CallHistory& history, size_t call) {
  return history.signatures[history.calls[call].signature];
}

/// A property of a source's tensor that is the same in all calls; absent: it changes.
template <typename Property>
bool Varies(const CallHistory& history, size_t source, const Property& property) {
  using Value = decltype(property(TensorValue()));
  std::optional<Value> first;
  for (const CallSignature& signature : history.signatures) {
    const CallValue value = ValueAt(signature, source);
    if (value.kind != Kind::kTensor) continue;
    const Value own = property(history.tensors[value.tensor]);
    if (first && *first != own) return true;
    first = own;
  }
  return false;
}

/// A tensor in both histories, and the parts that only the log contains.
struct SharedTensor {
  size_t recorded = 0;  ///< source
  size_t missed = 0;    ///< source
  bool dtype = false;
  bool device = false;
  bool type = false;
  bool keys = false;
  bool requires_grad = false;
  bool layout = false;
  bool marks = false;

  bool AddsAnything() const {
    return dtype || device || type || keys || requires_grad || layout || marks;
  }
};

SharedTensor Share(const CallHistory& recorded, size_t recorded_source, const CallHistory& missed,
                   size_t missed_source) {
  SharedTensor shared{.recorded = recorded_source, .missed = missed_source};
  const auto only_log = [&](const auto& property) {
    return Varies(missed, missed_source, property) && !Varies(recorded, recorded_source, property);
  };
  shared.dtype = only_log([](const TensorValue& tensor) { return tensor.dtype; });
  shared.device = only_log([](const TensorValue& tensor) { return tensor.device; });
  shared.type = only_log([](const TensorValue& tensor) { return tensor.type; });
  shared.keys = only_log([](const TensorValue& tensor) { return tensor.keys; });
  shared.requires_grad = only_log([](const TensorValue& tensor) { return tensor.requires_grad; });
  shared.layout = only_log([](const TensorValue& tensor) { return tensor.has_layout; });
  shared.marks = only_log([](const TensorValue& tensor) { return tensor.marks.size(); });
  return shared;
}

/// Aligns attempts with calls and merges the data of both.
class Completion {
 public:
  Completion(const CallHistory& recorded, const CallHistory& missed, const LoggedValues& log_values)
      : recorded_(recorded), missed_(missed), log_values_(log_values) {
    std::map<std::string, size_t> recorded_names;
    for (size_t source = 0; source < recorded.sources.size(); ++source) {
      recorded_names.emplace(NameOf(recorded, source), source);
    }
    for (size_t source = 0; source < missed.sources.size(); ++source) {
      if (missed.strings.text(missed.sources[source]) == kUnexplainedSource) continue;
      const auto known = recorded_names.find(NameOf(missed, source));
      if (known == recorded_names.end()) {
        if (VariesAtAll(source) && !IsRecordedType(source, recorded_names)) {
          extra_.push_back(source);
        }
      } else {
        partner_.emplace(std::string(missed.strings.text(missed.sources[source])), known->second);
        const SharedTensor shared = Share(recorded, known->second, missed, source);
        if (shared.AddsAnything()) shared_.push_back(shared);
      }
    }
    adds_state_ = HasSeveralStates(missed) && !HasSeveralStates(recorded);
    adds_unexplained_ =
        log_values.num_unexplained() > 0 && recorded.signatures.size() < missed.calls.size();
  }

  bool AddsAnything() const {
    return !extra_.empty() || !shared_.empty() || adds_state_ || adds_unexplained_;
  }

  /// Finds the call of each attempt. Returns why that is not possible; empty: it is.
  std::string Align() {
    if (missed_.calls.size() > recorded_.calls.size()) {
      return "the log contains more misses than there are recorded calls";
    }
    std::set<std::pair<uint32_t, uint16_t>> seen;  // signature and wrapper
    const auto key_of = [&](size_t call) {
      return std::pair(recorded_.calls[call].signature, recorded_.calls[call].wrapper);
    };
    size_t next = 0;
    size_t fresh = 0;  // the first call from `next` on that differs from all calls before `next`
    for (size_t attempt = 0; attempt < missed_.calls.size(); ++attempt) {
      const uint32_t number = log_values_.attempts()[attempt];
      // An attempt without data is a call that differs from all earlier ones, if there is one.
      std::optional<size_t> found;
      if (log_values_.IsUnexplained(number)) {
        // A seen call stays seen: each call is checked once, however many attempts there are.
        fresh = std::max(fresh, next);
        while (fresh < recorded_.calls.size() && seen.contains(key_of(fresh))) ++fresh;
        if (fresh < recorded_.calls.size()) {
          found = fresh;
          explained_.insert(attempt);
        }
        if (!found && next < recorded_.calls.size()) found = next;
      } else {
        for (size_t call = next; call < recorded_.calls.size() && !found; ++call) {
          if (Agrees(number, SignatureOf(recorded_, call))) found = call;
        }
      }
      if (!found) {
        return "no recorded call matches the log of its compile " + std::to_string(number);
      }
      for (; next <= *found; ++next) seen.insert(key_of(next));
      calls_.push_back(*found);
    }
    return {};
  }

  AttemptPlaces Places() const {
    AttemptPlaces places;
    for (const uint32_t number : log_values_.attempts()) {
      while (places.end < recorded_.calls.size() &&
             !Agrees(number, SignatureOf(recorded_, places.end))) {
        ++places.end;
      }
      if (places.end == recorded_.calls.size()) return places;
      ++places.end;
    }
    // The first attempt comes before the latest possible places of all others.
    size_t latest = recorded_.calls.size();
    for (size_t attempt = log_values_.attempts().size() - 1; attempt > 0; --attempt) {
      do {
        --latest;
      } while (!Agrees(log_values_.attempts()[attempt], SignatureOf(recorded_, latest)));
    }
    for (size_t call = 0; call < latest; ++call) {
      if (Agrees(log_values_.attempts().front(), SignatureOf(recorded_, call))) {
        places.begins.push_back(call);
      }
    }
    places.is_possible = true;
    return places;
  }

  void Fill(CallHistory& completed) {
    CallHistoryBuilder builder(completed);
    std::vector<uint32_t> sources;
    for (const StrId source : recorded_.sources) {
      sources.push_back(
          builder.Source(CallHistoryBuilder::kNoParent, recorded_.strings.text(source)));
    }
    std::vector<uint32_t> extra;
    for (const size_t source : extra_) {
      extra.push_back(builder.Source(CallHistoryBuilder::kNoParent,
                                     missed_.strings.text(missed_.sources[source])));
    }
    const uint32_t unexplained =
        adds_unexplained_ ? builder.Source(CallHistoryBuilder::kNoParent, kUnexplainedSource) : 0;
    std::vector<const SharedTensor*> shared(recorded_.sources.size(), nullptr);
    for (const SharedTensor& tensor : shared_) shared[tensor.recorded] = &tensor;
    std::map<uint32_t, size_t> last;  // attempt, by recorded signature
    size_t attempt = 0;               // the newest
    size_t next = 0;
    for (size_t call = 0; call < recorded_.calls.size(); ++call) {
      const RecordedCall& recorded = recorded_.calls[call];
      size_t facts = attempt;
      if (next < calls_.size() && calls_[next] == call) {
        facts = attempt = next++;
      } else if (const auto same = last.find(recorded.signature); same != last.end()) {
        facts = same->second;
      }
      last[recorded.signature] = facts;
      const CallSignature& own = recorded_.signatures[recorded.signature];
      const CallSignature& of_log = SignatureOf(missed_, facts);
      for (size_t source = 0; source < own.values.size(); ++source) {
        SetShared(shared[source], own.values[source], of_log, sources[source], builder);
      }
      for (size_t index = 0; index < extra_.size(); ++index) {
        SetFrom(missed_, ValueAt(of_log, extra_[index]), extra[index], builder);
      }
      if (adds_unexplained_) SetUnexplained(facts, unexplained, builder);
      const std::string_view state =
          adds_state_ ? missed_.strings.text(of_log.state) : recorded_.strings.text(own.state);
      if (!builder.EndCall(recorded, builder.strings().Intern(state))) break;
    }
    builder.Finish();
    completed.is_lower_bound = recorded_.is_lower_bound;
  }

 private:
  static std::string NameOf(const CallHistory& history, size_t source) {
    return NameOfSource(history.strings.text(history.sources[source]));
  }

  /// Whether `source` is a guard on the type of a value that the records contain.
  bool IsRecordedType(size_t source, const std::map<std::string, size_t>& recorded_names) const {
    const LoggedSource* guard = log_values_.Find(missed_.strings.text(missed_.sources[source]));
    if (guard == nullptr || guard->about.empty() || guard->about == guard->name) return false;
    const LoggedSource* asked = log_values_.Find(guard->about);
    const auto recorded = recorded_names.find(NameOfSource(guard->about));
    if (asked == nullptr || asked->types.empty() || recorded == recorded_names.end()) return false;
    return std::ranges::none_of(recorded_.signatures, [&](const CallSignature& signature) {
      return ClassOf(ValueAt(signature, recorded->second)).empty();
    });
  }

  /// The class of a recorded value; empty: not known.
  std::string_view ClassOf(const CallValue& value) const {
    switch (value.kind) {
      case Kind::kInt:
        return "int";
      case Kind::kFloat:
        return "float";
      case Kind::kBool:
        return "bool";
      case Kind::kStr:
        return "str";
      case Kind::kNone:
        return "NoneType";
      case Kind::kKeys:
        return "dict";
      case Kind::kLength:
        return recorded_.strings.text(value.text);
      case Kind::kTensor: {
        const StrId type = recorded_.tensors[value.tensor].type;
        return type == StrId::kNone ? "Tensor" : recorded_.strings.text(type);
      }
      default:
        return {};
    }
  }

  bool VariesAtAll(size_t source) const {
    const CallValue first = ValueAt(missed_.signatures.front(), source);
    return std::ranges::any_of(missed_.signatures, [&](const CallSignature& other) {
      return !(ValueAt(other, source) == first);
    });
  }

  /// Whether a recorded call can be attempt `number`.
  bool Agrees(uint32_t number, const CallSignature& call) const {
    return std::ranges::all_of(log_values_.sources(), [&](const LoggedSource& source) {
      const auto partner = partner_.find(source.name);
      if (partner == partner_.end()) return true;
      return AgreesOn(source, number, ValueAt(call, partner->second));
    });
  }

  bool AgreesOn(const LoggedSource& source, uint32_t number, const CallValue& value) const {
    const std::string_view own_class = ClassOf(value);
    const auto type = source.types.find(number);
    if (type != source.types.end() && !own_class.empty() && own_class != type->second) return false;
    const auto other_types = source.other_types.find(number);
    if (other_types != source.other_types.end() &&
        std::ranges::find(other_types->second, own_class) != other_types->second.end()) {
      return false;
    }
    const auto tensor = source.tensors.find(number);
    if (tensor != source.tensors.end() && value.kind == Kind::kTensor) {
      const TensorValue& recorded = recorded_.tensors[value.tensor];
      const LoggedTensor& logged = tensor->second;
      if (logged.rank && static_cast<size_t>(*logged.rank) != recorded.sizes.size()) return false;
      for (const auto& [dim, size] : logged.sizes) {
        if (static_cast<size_t>(dim) >= recorded.sizes.size()) return false;
        // For a size that failed as 0 or 1, 1 is a guess.
        const int64_t own = recorded.sizes[static_cast<size_t>(dim)];
        if (own != size && !(own == 0 && size == 1)) return false;
      }
      for (const auto& [dim, stride] : logged.strides) {
        if (recorded.has_layout && static_cast<size_t>(dim) < recorded.strides.size() &&
            recorded.strides[static_cast<size_t>(dim)] != stride) {
          return false;
        }
      }
      const std::string_view dtype = recorded_.strings.text(recorded.dtype);
      if (!logged.dtype.empty() && !dtype.empty() && dtype != logged.dtype) return false;
      return true;
    }
    const auto scalar = source.scalars.find(number);
    if (scalar != source.scalars.end() && !IsSame(scalar->second, value)) return false;
    const auto others = source.others.find(number);
    return others == source.others.end() ||
           std::ranges::none_of(others->second, [&](const LoggedScalar& other) {
             return other.kind != Kind::kOpaque && value.kind != Kind::kOpaque &&
                    IsSame(other, value) && value.kind != Kind::kUnknown;
           });
  }

  /// Whether both may be the same; an opaque value can be anything.
  bool IsSame(const LoggedScalar& logged, const CallValue& value) const {
    if (logged.kind == Kind::kOpaque || value.kind == Kind::kOpaque ||
        value.kind == Kind::kUnknown) {
      return true;
    }
    if (logged.kind == Kind::kLength && value.kind == Kind::kKeys) return true;
    if (logged.kind != value.kind) return false;
    switch (logged.kind) {
      case Kind::kFloat:
        return logged.number == value.number;
      case Kind::kStr:
        return logged.text == recorded_.strings.text(value.text);
      default:
        return logged.integer == value.integer;
    }
  }

  static void SetFrom(const CallHistory& history, CallValue value, uint32_t source,
                      CallHistoryBuilder& builder) {
    if (value.kind == Kind::kAbsent) return;
    if (value.kind != Kind::kTensor) {
      value.text = builder.strings().Intern(history.strings.text(value.text));
      builder.Set(source, value);
      return;
    }
    builder.SetTensor(source, Copied(history, history.tensors[value.tensor], builder));
  }

  static TensorValue Copied(const CallHistory& history, TensorValue tensor,
                            CallHistoryBuilder& builder) {
    const auto copy = [&](StrId& text) {
      text = builder.strings().Intern(history.strings.text(text));
    };
    copy(tensor.dtype);
    copy(tensor.device);
    copy(tensor.type);
    copy(tensor.keys);
    return tensor;
  }

  /// `shared`: null if the log adds nothing to the source.
  void SetShared(const SharedTensor* shared, const CallValue& value, const CallSignature& of_log,
                 uint32_t target, CallHistoryBuilder& builder) const {
    if (shared == nullptr || value.kind != Kind::kTensor) {
      SetFrom(recorded_, value, target, builder);
      return;
    }
    const CallValue logged = ValueAt(of_log, shared->missed);
    if (logged.kind != Kind::kTensor) {
      SetFrom(recorded_, value, target, builder);
      return;
    }
    TensorValue tensor = Copied(recorded_, recorded_.tensors[value.tensor], builder);
    const TensorValue missed = Copied(missed_, missed_.tensors[logged.tensor], builder);
    if (shared->dtype) tensor.dtype = missed.dtype;
    if (shared->device) tensor.device = missed.device;
    if (shared->type) tensor.type = missed.type;
    if (shared->keys) tensor.keys = missed.keys;
    if (shared->requires_grad) tensor.requires_grad = missed.requires_grad;
    if (shared->marks) tensor.marks = missed.marks;
    if (shared->layout && missed.has_layout && missed.sizes == tensor.sizes) {
      tensor.has_layout = true;
      tensor.strides = missed.strides;
      tensor.storage_offset = missed.storage_offset;
    }
    builder.SetTensor(target, tensor);
  }

  void SetUnexplained(size_t attempt, uint32_t source, CallHistoryBuilder& builder) const {
    CallValue value;
    value.kind = Kind::kOpaque;
    const bool differs =
        log_values_.IsUnexplained(log_values_.attempts()[attempt]) && !explained_.contains(attempt);
    value.text = builder.strings().Intern(
        differs ? "as in compile " + std::to_string(log_values_.attempts()[attempt])
                : "as at first");
    builder.Set(source, value);
  }

  const CallHistory& recorded_;
  const CallHistory& missed_;
  const LoggedValues& log_values_;
  std::vector<size_t> extra_;  // sources of the log that no record contains
  std::map<std::string, size_t, std::less<>> partner_;  // source of the log -> recorded source
  std::vector<SharedTensor> shared_;
  bool adds_state_ = false;
  bool adds_unexplained_ = false;
  std::vector<size_t> calls_;   // by attempt
  std::set<size_t> explained_;  // attempts without data that the records explain
};

}  // namespace

bool HasSeveralStates(const CallHistory& history) {
  return std::ranges::any_of(history.signatures, [&](const CallSignature& other) {
    return other.state != history.signatures.front().state;
  });
}

std::string CompleteCalls(const CallHistory& recorded, const CallHistory& missed,
                          const LoggedValues* log_values, CallHistory& completed) {
  if (log_values == nullptr || missed.signatures.empty() || recorded.signatures.empty()) {
    CopyHistory(recorded, completed);
    return {};
  }
  Completion completion(recorded, missed, *log_values);
  if (!completion.AddsAnything()) {
    CopyHistory(recorded, completed);
    return {};
  }
  std::string why = completion.Align();
  if (!why.empty()) {
    CopyHistory(recorded, completed);
    return why;
  }
  completion.Fill(completed);
  return {};
}

AttemptPlaces PlacesOfAttempts(const CallHistory& recorded, const CallHistory& missed,
                               const LoggedValues& log_values) {
  if (missed.signatures.empty() || log_values.attempts().empty()) return {};
  return Completion(recorded, missed, log_values).Places();
}

void CopyHistory(const CallHistory& history, CallHistory& copy) {
  copy.strings.CopyFrom(history.strings);
  copy.sources = history.sources;
  copy.tensors = history.tensors;
  copy.signatures = history.signatures;
  copy.calls = history.calls;
  copy.is_lower_bound = history.is_lower_bound;
}

void CopyCalls(const CallHistory& whole, const std::vector<size_t>& calls, CallHistory& part) {
  part.strings.CopyFrom(whole.strings);
  part.sources = whole.sources;
  part.tensors = whole.tensors;
  part.is_lower_bound = whole.is_lower_bound;
  std::map<uint32_t, uint32_t> signatures;  // signature in the whole history -> in the part
  for (const size_t index : calls) {
    RecordedCall call = whole.calls[index];
    const auto [known, is_new] =
        signatures.try_emplace(call.signature, static_cast<uint32_t>(part.signatures.size()));
    if (is_new) part.signatures.push_back(whole.signatures[call.signature]);
    call.signature = known->second;
    part.calls.push_back(call);
  }
}

}  // namespace shapewise
