#include "advise/estimate.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "advise/function_needs.h"

namespace shapewise {
namespace {

bool IsValueOfOtherType(const FailedGuard& guard) {
  switch (guard.guard_class) {
    case GuardClass::kFloat:
    case GuardClass::kBool:
    case GuardClass::kStr:
    case GuardClass::kNone:
    case GuardClass::kType:
      return true;
    default:
      return false;
  }
}

/// What the changes make of a size from the first compile on.
enum class FreedSizes : uint8_t { kNone, kBacked, kUnbacked };

class Player {
 public:
  Player(const CompiledFrame& frame, const std::vector<CodeChange>& changes) : frame_(frame) {
    for (const CodeChange& change : changes) {
      if (Concerns(change, frame.where)) changes_.push_back(&change);
    }
  }

  FrameEstimate Play() {
    FrameEstimate estimate;
    estimate.entries = frame_.entries();
    if (changes_.empty()) {
      estimate.hits_limit =
          std::ranges::any_of(frame_.misses, [](const Miss& miss) { return miss.hit_limit; });
      return estimate;
    }
    ReadMisses();
    for (const Miss& miss : frame_.misses) {
      if (IsAvoided(miss)) {
        Avoid(miss, estimate);
      } else if (miss.hit_limit && !gone_.empty()) {
        // There is room for it now.
        ++estimate.entries;
        Learn(miss);
      } else {
        estimate.hits_limit = estimate.hits_limit || miss.hit_limit;
        Learn(miss);
      }
    }
    std::ranges::sort(estimate.avoided);
    return estimate;
  }

 private:
  void ReadMisses() {
    for (const Miss& miss : frame_.misses) {
      by_compile_[miss.compile] = &miss;
      for (const FailedEntry& entry : miss.entries) {
        for (const FailedGuard& guard : entry.guards) {
          if (IsValueOfOtherType(guard)) others_.insert(guard.variable.source);
          if (guard.guard_class != GuardClass::kSize || !guard.expected) continue;
          expected_[entry.entry][guard.variable] = *guard.expected;
        }
      }
    }
  }

  void Avoid(const Miss& miss, FrameEstimate& estimate) {
    gone_.insert(miss.compile);
    estimate.avoided.push_back(miss.event);
    if (miss.hit_limit) return;
    if (estimate.entries > 0) --estimate.entries;
    if (miss.compile < frame_.seconds.size() && frame_.seconds[miss.compile]) {
      estimate.seconds = estimate.seconds.value_or(0) + *frame_.seconds[miss.compile];
    }
  }

  FreedSizes FreedomOf(const Variable& variable) const {
    FreedSizes freedom = FreedSizes::kNone;
    for (const CodeChange* change : changes_) {
      const bool is_it =
          change->source == variable.source && (change->dim < 0 || change->dim == variable.dim);
      switch (change->kind) {
        case CodeChange::Kind::kMarkUnbacked:
        case CodeChange::Kind::kUnbackedSource:
          if (is_it) freedom = FreedSizes::kUnbacked;
          break;
        case CodeChange::Kind::kMarkDynamic:
        case CodeChange::Kind::kMaybeMark:
        case CodeChange::Kind::kDynamicSource:
          if (is_it) freedom = std::max(freedom, FreedSizes::kBacked);
          break;
        case CodeChange::Kind::kDynamicOption:
          if (change->dynamic == DynamicOption::kTrue)
            freedom = std::max(freedom, FreedSizes::kBacked);
          break;
        default:
          break;
      }
    }
    return freedom;
  }

  bool HasChange(CodeChange::Kind kind) const {
    return std::ranges::any_of(changes_, [&](const CodeChange* c) { return c->kind == kind; });
  }

  /// Whether what this guard speaks of becomes a symbol once it varies, though it did not.
  bool LearnsAnew(const FailedGuard& guard) const {
    const bool is_size = guard.guard_class == GuardClass::kSize;
    const bool is_int = guard.guard_class == GuardClass::kInt;
    return std::ranges::any_of(changes_, [&](const CodeChange* change) {
      switch (change->kind) {
        case CodeChange::Kind::kDynamicOption:
          return change->dynamic == DynamicOption::kNone && (is_size || is_int);
        case CodeChange::Kind::kModuleInts:
          return is_int && guard.hint == "allow_unspec_int_on_nn_module";
        case CodeChange::Kind::kFreeParameters:
          return is_size && guard.hint == "force_parameter_static_shapes";
        default:
          return false;
      }
    });
  }

  void Learn(const Miss& miss) {
    for (const FailedEntry& entry : miss.entries) {
      for (const FailedGuard& guard : entry.guards) {
        if (LearnsAnew(guard)) learnt_.try_emplace(guard.variable, miss.compile);
      }
    }
  }

  bool HasLearnt(uint32_t entry, const Variable& variable) const {
    const auto at = learnt_.find(variable);
    return at != learnt_.end() && at->second <= entry;
  }

  bool IsSameBucket(const FailedGuard& guard) const {
    return guard.expected && guard.actual &&
           std::ranges::any_of(changes_, [&](const CodeChange* change) {
             return change->kind == CodeChange::Kind::kBuckets &&
                    change->source == guard.variable.source && change->dim == guard.variable.dim &&
                    BucketOf(change->sizes, *guard.expected) ==
                        BucketOf(change->sizes, *guard.actual);
           });
  }

  bool IsRemoved(const FailedGuard& guard) const {
    return std::ranges::any_of(changes_, [&](const CodeChange* change) {
      if (change->source != guard.variable.source) return false;
      if (change->kind == CodeChange::Kind::kContiguous) {
        return guard.guard_class == GuardClass::kStride;
      }
      return change->kind == CodeChange::Kind::kRemoveCause &&
             change->guard_class == guard.guard_class &&
             (change->dim < 0 || change->dim == guard.variable.dim);
    });
  }

  /// Whether the guard would not keep the call away from `entry`, were the changes made.
  bool IsGone(const FailedGuard& guard, uint32_t entry) const {
    if (IsRemoved(guard)) return true;
    const FreedSizes freedom = FreedomOf(guard.variable);
    switch (guard.guard_class) {
      case GuardClass::kSize:
        if (freedom == FreedSizes::kUnbacked || IsSameBucket(guard)) return true;
        // Sizes 0 and 1 are constants of the entry that met them.
        if (IsSpecial(guard.expected) || IsSpecial(guard.actual)) return false;
        return freedom == FreedSizes::kBacked || HasLearnt(entry, guard.variable);
      case GuardClass::kInt:
        // What is something else at other times is told apart by its type.
        return !others_.contains(guard.variable.source) &&
               (freedom != FreedSizes::kNone || HasLearnt(entry, guard.variable));
      case GuardClass::kZeroOne:
        return freedom == FreedSizes::kUnbacked;
      case GuardClass::kSymbolic:
        // What is marked has a symbol of its own, whatever it is equal to.
        return guard.hint == "use_duck_shape" &&
               (HasChange(CodeChange::Kind::kNoDuckShape) ||
                std::ranges::any_of(guard.sizes, [&](const Variable& size) {
                  return FreedomOf(size) != FreedSizes::kNone;
                }));
      default:
        return false;
    }
  }

  /// Whether `entry` was compiled for another size than the call brings, of a dim that nothing
  /// frees.
  bool IsKnownToDiffer(uint32_t entry, const std::map<Variable, int64_t>& brought) const {
    const auto at = expected_.find(entry);
    if (at == expected_.end()) return false;
    return std::ranges::any_of(at->second, [&](const auto& size) {
      const auto found = brought.find(size.first);
      if (found == brought.end() || found->second == size.second) return false;
      return !IsGone({.guard_class = GuardClass::kSize,
                      .variable = size.first,
                      .sizes = {},
                      .expected = size.second,
                      .actual = found->second,
                      .hint = {}},
                     entry);
    });
  }

  /// Whether the later of two entries was compiled because the earlier one failed on what `guard`
  /// speaks of.
  bool AreToldApart(uint32_t a, uint32_t b, const FailedGuard& guard) const {
    const auto at = by_compile_.find(std::max(a, b));
    if (at == by_compile_.end()) return false;
    for (const FailedEntry& entry : at->second->entries) {
      if (entry.entry != std::min(a, b)) continue;
      return std::ranges::any_of(entry.guards, [&](const FailedGuard& other) {
        return other.guard_class == guard.guard_class && other.variable == guard.variable;
      });
    }
    return false;
  }

  /// Whether another entry failed on something that `entry`, as far as is known, has in common with
  /// it: guards behind the first that fails are not printed.
  bool FailsLikeOthers(uint32_t entry, const Miss& miss) const {
    for (const FailedEntry& other : miss.entries) {
      if (other.entry == entry) continue;
      for (const FailedGuard& guard : other.guards) {
        if (!IsGone(guard, other.entry) && guard.guard_class != GuardClass::kSize &&
            !AreToldApart(entry, other.entry, guard)) {
          return true;
        }
      }
    }
    return false;
  }

  bool IsAvoided(const Miss& miss) const {
    std::map<Variable, int64_t> brought;
    for (const FailedEntry& entry : miss.entries) {
      for (const FailedGuard& guard : entry.guards) {
        // A size that is 0 or 1 here keeps all entries away that are not made for it.
        if (guard.guard_class == GuardClass::kZeroOne && !IsGone(guard, entry.entry)) return false;
        if (guard.guard_class == GuardClass::kSize && guard.actual) {
          brought[guard.variable] = *guard.actual;
        }
      }
    }
    // It became a symbol here because it had varied, whether a guard on it was printed or not.
    const bool has_other_cause =
        std::ranges::any_of(miss.newly_free, [&](const Variable& variable) {
          return FreedomOf(variable) == FreedSizes::kNone && !IsToldOf(variable, miss);
        });
    if (has_other_cause) return false;
    return std::ranges::any_of(miss.entries, [&](const FailedEntry& entry) {
      if (gone_.contains(entry.entry) || entry.entry >= miss.compile) return false;
      const bool is_taken = std::ranges::all_of(
          entry.guards, [&](const FailedGuard& guard) { return IsGone(guard, entry.entry); });
      return is_taken && !IsKnownToDiffer(entry.entry, brought) &&
             !FailsLikeOthers(entry.entry, miss);
    });
  }

  /// Whether a printed guard speaks of `variable`, and would be gone.
  bool IsToldOf(const Variable& variable, const Miss& miss) const {
    return std::ranges::any_of(miss.entries, [&](const FailedEntry& entry) {
      return std::ranges::any_of(entry.guards, [&](const FailedGuard& guard) {
        const bool is_it = guard.variable == variable ||
                           std::ranges::find(guard.sizes, variable) != guard.sizes.end();
        return is_it && IsGone(guard, entry.entry);
      });
    });
  }

  const CompiledFrame& frame_;
  std::vector<const CodeChange*> changes_;
  std::map<uint32_t, const Miss*> by_compile_;
  std::map<uint32_t, std::map<Variable, int64_t>> expected_;  // by entry: sizes it was made for
  std::map<Variable, uint32_t> learnt_;  // since which compilation it would be a symbol
  std::set<std::string> others_;         // sources that hold other things than ints as well
  std::set<uint32_t> gone_;
};

}  // namespace

FrameEstimate EstimateFrame(const CompiledFrame& frame, const std::vector<CodeChange>& changes) {
  return Player(frame, changes).Play();
}

}  // namespace shapewise
