#include "dynamo/code_cache.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "dynamo/strides.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

/// Compares values as CONSTANT_MATCH does: type and value; nan equals nan.
bool IsSameConstant(const CallValue& a, const CallValue& b) {
  if (a.kind != b.kind) return false;
  if (a.kind == Kind::kFloat) {
    return a.number == b.number || (std::isnan(a.number) && std::isnan(b.number));
  }
  return a.integer == b.integer && a.text == b.text;
}

/// Whether a graph made for `compiled` serves a tensor with `marks`: a kind of mark that the graph
/// does not have is rejected, and so are dims that it does not have. Source:
/// torch/_dynamo/guards.py, "Dimension Marking Guards".
bool AreMarksCovered(const TensorMarks* compiled, const TensorMarks* marks) {
  if (marks == nullptr || marks == compiled) return true;
  if (compiled == nullptr) return false;
  for (size_t kind = 0; kind < kMarkKinds; ++kind) {
    if (!std::includes(compiled->dims[kind].begin(), compiled->dims[kind].end(),
                       marks->dims[kind].begin(), marks->dims[kind].end())) {
      return false;
    }
  }
  const bool is_unbacked = !marks->dims[static_cast<size_t>(MarkKind::kUnbacked)].empty();
  return !is_unbacked || compiled->bounds == marks->bounds;
}

/// Whether a stride has a symbol that is not a size.
bool HasOwnStride(const SymbolicTensor& tensor) {
  const auto is_of_size = [&](uint32_t symbol) {
    return std::ranges::any_of(tensor.sizes, [&](const SizeTerm& size) {
      return !size.IsConstant() && size.symbols.front() == symbol;
    });
  };
  return std::ranges::any_of(tensor.strides, [&](const auto& stride) {
    return !std::ranges::all_of(stride.term.symbols, is_of_size);
  });
}

/// Equal for values that are the same to IsSameConstant.
size_t HashOf(const CallValue& value) {
  if (value.kind != Kind::kFloat) return llvm::hash_combine(value.kind, value.integer, value.text);
  // 0.0 equals -0.0, and one nan equals another.
  const bool is_special = value.number == 0 || std::isnan(value.number);
  return llvm::hash_combine(value.kind, is_special ? 0 : llvm::bit_cast<uint64_t>(value.number));
}

/// One evaluation of the guards of an entry.
class GuardCheck {
 public:
  GuardCheck(const CacheEntry& entry, const InputRow& row) : entry_(entry), row_(row) {
    values_.resize(entry.symbols.size());
    is_bound_.resize(entry.symbols.size());
  }

  bool is_uncertain() const { return is_uncertain_; }

  bool PassesInput(const InputGuard& guard) {
    const InputValue& value = row_[guard.input];
    using Test = InputGuard::Test;
    if (value.value.kind == Kind::kUnknown || guard.test == Test::kUnknowable) {
      is_uncertain_ = true;
      return true;
    }
    switch (guard.test) {
      case Test::kTensor:
        return value.tensor != nullptr && PassesTensor(guard, *value.tensor);
      case Test::kSameTensor: {
        const InputTensor* const other = row_[guard.other].tensor;
        return value.tensor != nullptr && other != nullptr && value.tensor->object != 0 &&
               value.tensor->object == other->object;
      }
      case Test::kConstant:
        return IsSameConstant(guard.constant, value.value);
      case Test::kSymbolicInt:
        return value.value.kind == Kind::kInt && Binds(guard.symbol, value.value.integer);
      case Test::kSymbolicFloat:
        return value.value.kind == Kind::kFloat && !std::isnan(value.value.number);
      case Test::kUncertain:
        is_uncertain_ |= !IsSame(guard, value);
        return true;
      case Test::kUnknowable:
        return true;
    }
    return true;
  }

  /// Whether the symbols have other values than the excluded ones.
  bool PassesExclusion() const {
    if (entry_.excluded.empty()) return true;
    return std::ranges::any_of(entry_.excluded, [&](const auto& pair) {
      return !is_bound_[pair.first] || values_[pair.first] != pair.second;
    });
  }

 private:
  bool Binds(uint32_t symbol, int64_t value) {
    if (is_bound_[symbol]) return values_[symbol] == value;
    is_bound_[symbol] = true;
    values_[symbol] = value;
    return entry_.symbols[symbol].range.Contains(value);
  }

  bool Matches(const SizeTerm& term, int64_t value) {
    if (term.symbols.size() == 1 && term.coefficient == 1) return Binds(term.symbols[0], value);
    return term.Evaluate(values_) == value;
  }

  bool PassesTensor(const InputGuard& guard, const InputTensor& tensor) {
    if (tensor.object != 0 && !IsUnshared(guard.input, tensor.object)) return false;
    if (!entry_.has_symbols && &tensor == guard.compiled_for) return true;
    const SymbolicTensor& symbolic = guard.symbolic;
    if (tensor.sizes.size() != symbolic.sizes.size()) return false;
    if (tensor.properties != guard.tensor.properties) {
      if (!tensor.are_properties_derived && !guard.tensor.are_properties_derived) return false;
      is_uncertain_ = true;
    }
    for (size_t dim = 0; dim < tensor.sizes.size(); ++dim) {
      if (!Matches(symbolic.sizes[dim], tensor.sizes[dim])) return false;
    }
    for (const SymbolicTensor::Stride& stride : symbolic.strides) {
      if (!Matches(stride.term, tensor.strides[stride.dim])) return false;
    }
    if (!symbolic.offset.IsConstant() && !Matches(symbolic.offset, tensor.storage_offset)) {
      return false;
    }
    // Operators may check whether a tensor with a symbolic stride has gaps.
    is_uncertain_ |=
        guard.has_own_stride && ClassOfLayout(tensor.sizes, tensor.strides) !=
                                    ClassOfLayout(guard.tensor.sizes, guard.tensor.strides);
    return AreMarksCovered(guard.tensor.marks, tensor.marks);
  }

  bool IsUnshared(uint32_t input, uint32_t object) const {
    return std::ranges::none_of(entry_.guards, [&](const InputGuard& other) {
      const InputTensor* const tensor = row_[other.input].tensor;
      return other.input != input && other.test == InputGuard::Test::kTensor && tensor != nullptr &&
             tensor->object == object;
    });
  }

  static bool IsSame(const InputGuard& guard, const InputValue& value) {
    if (value.tensor == nullptr) return IsSameConstant(guard.constant, value.value);
    return value.tensor == guard.compiled_for;
  }

  const CacheEntry& entry_;
  const InputRow& row_;
  llvm::SmallVector<int64_t, 16> values_;
  llvm::SmallVector<bool, 16> is_bound_;
  bool is_uncertain_ = false;
};

}  // namespace

std::vector<uint32_t> EqualityPattern(const InputRow& row) {
  std::vector<uint32_t> pattern;
  std::unordered_map<int64_t, uint32_t> first;
  for (const InputValue& value : row) {
    if (value.tensor == nullptr) continue;
    for (const int64_t size : value.tensor->sizes) {
      const auto place = static_cast<uint32_t>(pattern.size());
      pattern.push_back(first.try_emplace(size, place).first->second);
    }
  }
  return pattern;
}

void CacheEntry::Finish() {
  const auto demand = [&](const DemandedPlace& place, size_t hash) {
    demanded_places.push_back(place);
    demanded_values = llvm::hash_combine(demanded_values, hash);
  };
  for (InputGuard& guard : guards) {
    if (guard.test == InputGuard::Test::kConstant) {
      demand({.input = guard.input}, HashOf(guard.constant));
    }
    if (guard.test != InputGuard::Test::kTensor) continue;
    guard.has_own_stride = HasOwnStride(guard.symbolic);
    for (size_t dim = 0; dim < guard.symbolic.sizes.size(); ++dim) {
      const SizeTerm& size = guard.symbolic.sizes[dim];
      if (!size.IsConstant()) continue;
      demand({.input = guard.input, .dim = static_cast<uint32_t>(dim)},
             llvm::hash_value(size.coefficient));
    }
  }
}

const InputGuard* CacheEntry::GuardOf(uint32_t input) const {
  const auto guard = std::ranges::find(guards, input, &InputGuard::input);
  return guard == guards.end() ? nullptr : &*guard;
}

std::optional<SizeTerm> CacheEntry::TermAt(const CallInputs::Place& place) const {
  using Property = CallInputs::Place::Property;
  using Test = InputGuard::Test;
  const InputGuard* const guard =
      place.property == Property::kUnknown ? nullptr : GuardOf(place.input);
  if (guard == nullptr) return std::nullopt;
  if (guard->test == Test::kSymbolicInt)
    return SizeTerm{.coefficient = 1, .symbols = {guard->symbol}};
  const bool is_integer = guard->constant.kind == Kind::kInt || guard->constant.kind == Kind::kBool;
  if (guard->test == Test::kConstant && is_integer) {
    return SizeTerm{.coefficient = guard->constant.integer, .symbols = {}};
  }
  if (guard->test != Test::kTensor) return std::nullopt;
  const SymbolicTensor& tensor = guard->symbolic;
  if (place.property == Property::kSize && place.dim < tensor.sizes.size()) {
    return tensor.sizes[place.dim];
  }
  if (place.property == Property::kOffset) return tensor.offset;
  const auto stride = std::ranges::find(tensor.strides, place.dim, &SymbolicTensor::Stride::dim);
  const bool is_known = place.property == Property::kStride && stride != tensor.strides.end();
  return is_known ? std::optional(stride->term) : std::nullopt;
}

BroughtValues ValuesAt(const std::vector<DemandedPlace>& places, const InputRow& row) {
  BroughtValues brought;
  for (const DemandedPlace& place : places) {
    const InputValue& value = row[place.input];
    if (value.value.kind == Kind::kUnknown) {
      brought.can_serve = Truth::kUnknown;
      continue;
    }
    if (place.dim == DemandedPlace::kWhole) {
      brought.hash = llvm::hash_combine(brought.hash, HashOf(value.value));
      continue;
    }
    if (value.tensor == nullptr || place.dim >= value.tensor->sizes.size()) {
      return {.can_serve = Truth::kFalse};
    }
    brought.hash =
        llvm::hash_combine(brought.hash, llvm::hash_value(value.tensor->sizes[place.dim]));
  }
  return brought;
}

Truth Accepts(const CacheEntry& entry, uint32_t frame, uint32_t signature, const InputRow& row,
              CallInputs& inputs) {
  if (entry.signature == signature && !entry.is_uncertain_itself) return Truth::kTrue;
  if (inputs.StateOf(signature) != entry.state) return Truth::kFalse;
  GuardCheck check(entry, row);
  for (const InputGuard& guard : entry.guards) {
    if (!check.PassesInput(guard)) return Truth::kFalse;
  }
  if (!check.PassesExclusion()) return Truth::kFalse;
  bool is_uncertain =
      check.is_uncertain() || entry.is_uncertain_elsewhere || entry.is_uncertain_itself;
  for (const auto& [place, constant] : entry.specialized) {
    const std::optional<int64_t> value = inputs.Evaluate(place, frame, row);
    if (value && *value != constant) return Truth::kFalse;
    is_uncertain |= !value;
  }
  for (const AskedQuestion& question : entry.questions) {
    const std::optional<int64_t> value = inputs.Evaluate(question.predicate, frame, row);
    if (value && (*value != 0) != question.answer) return Truth::kFalse;
    is_uncertain |= !value;
  }
  if (is_uncertain) return Truth::kUnknown;
  if (!entry.equalities.empty() && EqualityPattern(row) != entry.equalities) {
    return Truth::kUnknown;
  }
  return Truth::kTrue;
}

Truth CodeCache::LookUp(size_t region, uint32_t frame, uint32_t signature, const InputRow& row,
                        CallInputs& inputs, const CacheEntry*& found) {
  llvm::SmallVector<KeptEntry*, 8> asked;
  for (const auto& [places, by_values] : regions_[region].by_places) {
    const BroughtValues brought = ValuesAt(places, row);
    if (brought.can_serve == Truth::kUnknown) {
      for (const auto& [values, entries] : by_values) llvm::append_range(asked, entries);
    } else if (brought.can_serve == Truth::kTrue) {
      const auto entries = by_values.find(brought.hash);
      if (entries != by_values.end()) llvm::append_range(asked, entries->second);
    }
  }
  llvm::sort(asked,
             [](const KeptEntry* a, const KeptEntry* b) { return a->last_front > b->last_front; });
  Truth result = Truth::kFalse;
  for (KeptEntry* const kept : asked) {
    const Truth accepts = Accepts(*kept->entry, frame, signature, row, inputs);
    if (accepts == Truth::kTrue) {
      kept->last_front = ++moves_;
      found = kept->entry.get();
      return accepts;
    }
    if (accepts == Truth::kUnknown) result = accepts;
  }
  return result;
}

const CacheEntry& CodeCache::Insert(size_t region, std::unique_ptr<CacheEntry> entry) {
  entry->Finish();
  KeptEntry& kept = entries_.emplace_back(std::move(entry), ++moves_);
  Region& own = regions_[region];
  own.by_places[kept.entry->demanded_places][kept.entry->demanded_values].push_back(&kept);
  ++own.entries;
  return *kept.entry;
}

const char* CodeCache::PassLimit(size_t region, const CompilePolicy& policy) {
  const int64_t earlier_attempts = attempts_++;
  const auto entries = static_cast<int64_t>(entries_.size());
  if (entries >= policy.accumulated_recompile_limit) return "accumulated_recompile_limit";
  const auto own = policy.isolated_limits.find(static_cast<uint16_t>(region));
  const bool is_own = policy.isolate_recompiles && own != policy.isolated_limits.end();
  const int64_t limit = is_own ? own->second : policy.recompile_limit;
  if (static_cast<int64_t>(EntriesIn(region)) >= limit) return "recompile_limit";
  if (earlier_attempts >= policy.accumulated_recompile_limit) return "accumulated_recompile_limit";
  return nullptr;
}

}  // namespace shapewise
