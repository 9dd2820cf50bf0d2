#include "advise/function_needs.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <string>
#include <tuple>

#include "causes/value_pattern.h"

namespace shapewise {
namespace {

bool IsModuleInt(const FailedGuard& guard) { return guard.hint == "allow_unspec_int_on_nn_module"; }

class NeedReader {
 public:
  explicit NeedReader(FunctionNeeds& needs) : needs_(needs) {}

  void Read(const CompiledFrame& frame) {
    first_varied_.clear();
    for (const Miss& miss : frame.misses) {
      hit_limit_ |= miss.hit_limit;
      std::set<Variable> now;
      const auto is_float = [&](const Variable& variable) {
        return frame.floats.contains(variable);
      };
      changes_float_ = std::ranges::any_of(miss.newly_changed, is_float);
      for (const FailedEntry& entry : miss.entries) {
        for (const FailedGuard& guard : entry.guards) {
          ReadGuard(guard, miss, now);
          const bool is_size = guard.guard_class == GuardClass::kSize &&
                               guard.hint != "force_parameter_static_shapes";
          const bool is_plain = is_size && !IsSpecial(guard.expected) && !IsSpecial(guard.actual);
          const auto varied = first_varied_.find(guard.variable);
          if (is_plain && varied != first_varied_.end() && entry.entry >= varied->second) {
            needs_.static_again.insert(miss.event);
          }
        }
      }
      for (const Variable& variable : miss.newly_changed) {
        if (!is_float(variable)) Note(variable, miss, now);
      }
      for (const Variable& variable : now) first_varied_.try_emplace(variable, miss.compile);
    }
    for (const auto& [variable, by] : frame.constants) {
      const auto varied = needs_.variables.find(variable);
      if (varied == needs_.variables.end()) continue;
      varied->second.constant_by = std::max(varied->second.constant_by, by);
    }
    needs_.late.insert(frame.late.begin(), frame.late.end());
    for (const auto& [compile, sizes] : frame.sizes) needs_.sizes.push_back(sizes);
    if (frame.calls != nullptr) histories_.push_back(frame.calls);
  }

  void Finish() {
    for (const std::string& source : others_) needs_.variables.erase({source, -1});
    for (const CallHistory* history : histories_) AddSizesOfCalls(*history);
    for (const std::map<Variable, int64_t>& sizes : needs_.sizes) {
      for (const auto& [variable, size] : sizes) {
        const auto varied = needs_.variables.find(variable);
        if (varied == needs_.variables.end()) continue;
        varied->second.values.insert(size);
        varied->second.is_special |= IsSpecial(size);
      }
    }
    if (!hit_limit_) DropMarkedStatic();
    // Weights fix the widths of layers, and buckets are static on purpose.
    if (needs_.static_again.empty()) return;
    std::erase_if(needs_.variables, [](const auto& varied) {
      return varied.first.dim > 0 && IsSizeLadder(varied.second.values);
    });
  }

 private:
  /// Drops dims that are marked static, which have a graph for each size on purpose, and dims that
  /// vary with them.
  void DropMarkedStatic() {
    std::vector<Variable> marked;
    for (const auto& [variable, varied] : needs_.variables) {
      if (varied.constant_by == ConstantBy::kMark) marked.push_back(variable);
    }
    if (marked.empty()) return;
    needs_.static_again.clear();
    std::erase_if(needs_.variables, [&](const auto& varied) {
      return std::ranges::any_of(marked, [&](const Variable& variable) {
        return variable == varied.first || needs_.AreEqual(variable, varied.first);
      });
    });
  }

  /// The sizes of those inputs that varied, in each distinct call.
  void AddSizesOfCalls(const CallHistory& history) {
    for (const CallSignature& signature : history.signatures) {
      std::map<Variable, int64_t>& sizes = needs_.sizes.emplace_back();
      for (size_t i = 0; i < signature.values.size(); ++i) {
        const TensorValue* const tensor = history.TensorIn(signature, i);
        if (tensor == nullptr) continue;
        const std::string source(history.strings.text(history.sources[i]));
        for (size_t dim = 0; dim < tensor->sizes.size(); ++dim) {
          const Variable variable{source, static_cast<int32_t>(dim)};
          if (needs_.variables.contains(variable)) sizes[variable] = tensor->sizes[dim];
        }
      }
    }
  }

  void ReadGuard(const FailedGuard& guard, const Miss& miss, std::set<Variable>& now) {
    switch (guard.guard_class) {
      case GuardClass::kSize:
        if (guard.hint == "force_parameter_static_shapes") {
          needs_.parameters.insert(miss.event);
          return;
        }
        NoteValues(guard, Note(guard.variable, miss, now));
        return;
      case GuardClass::kZeroOne:
        if (!guard.variable.source.empty()) Note(guard.variable, miss, now).is_special = true;
        return;
      case GuardClass::kSymbolic:
        if (guard.hint != "use_duck_shape") return;
        needs_.ducks.insert(miss.event);
        for (const Variable& size : guard.sizes) Note(size, miss, now);
        return;
      case GuardClass::kInt:
        if (IsModuleInt(guard)) {
          needs_.module_ints.insert(miss.event);
        } else if (guard.expected) {
          Note({guard.variable.source, -1}, miss, now);
        }
        return;
      case GuardClass::kLength:
        needs_.lengths.insert(guard.variable.source);
        return;
      case GuardClass::kKeys:
        needs_.missing.insert(guard.variable.source);
        return;
      case GuardClass::kNone:
      case GuardClass::kType:
        needs_.optional.insert(guard.variable.source);
        [[fallthrough]];
      default:
        // A value that is not always an int never becomes a symbol.
        others_.insert(guard.variable.source);
        return;
    }
  }

  static void NoteValues(const FailedGuard& guard, Varied& varied) {
    for (const std::optional<int64_t>& value : {guard.expected, guard.actual}) {
      if (!value) continue;
      varied.values.insert(*value);
      varied.is_special = varied.is_special || IsSpecial(value);
    }
  }

  Varied& Note(const Variable& variable, const Miss& miss, std::set<Variable>& now) {
    now.insert(variable);
    Varied& varied = needs_.variables[variable];
    if (varied.events.empty() || varied.events.back() != miss.event) {
      varied.events.push_back(miss.event);
      varied.only_with_floats &= changes_float_;
    }
    return varied;
  }

  FunctionNeeds& needs_;
  bool changes_float_ = false;  // the current miss
  std::set<std::string> others_;
  std::vector<const CallHistory*> histories_;
  bool hit_limit_ = false;
  std::map<Variable, uint32_t> first_varied_;  // the compilation in which it first changed
};

}  // namespace

bool FunctionNeeds::AreEqual(const Variable& a, const Variable& b) const {
  bool is_shown = false;
  for (const std::map<Variable, int64_t>& of_call : sizes) {
    const auto size_a = of_call.find(a);
    const auto size_b = of_call.find(b);
    if (size_a == of_call.end() || size_b == of_call.end()) continue;
    if (size_a->second != size_b->second) return false;
    is_shown = true;
  }
  return is_shown;
}

std::vector<FunctionNeeds> ReadNeeds(llvm::ArrayRef<CompiledFrame> frames) {
  std::deque<FunctionNeeds> all;  // references stay valid
  std::map<std::tuple<std::string, std::string, uint32_t>, size_t> index;
  std::deque<NeedReader> readers;
  for (const CompiledFrame& frame : frames) {
    const auto [at, is_new] =
        index.try_emplace({frame.where.file, frame.where.function, frame.where.line}, all.size());
    if (is_new) {
      all.emplace_back().where = frame.where;
      readers.emplace_back(all.back());
    }
    readers[at->second].Read(frame);
  }
  for (NeedReader& reader : readers) reader.Finish();
  return {std::make_move_iterator(all.begin()), std::make_move_iterator(all.end())};
}

}  // namespace shapewise
