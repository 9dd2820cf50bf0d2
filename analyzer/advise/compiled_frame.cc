#include "advise/compiled_frame.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "advise/change.h"
#include "history/code_object_history.h"
#include "model/shape_guard.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Hostile compile numbers would otherwise determine the size of the tables.
constexpr uint32_t kMaxCompile = 1U << 20;
constexpr size_t kMaxSizes = 8;               // of one relation
constexpr size_t kMaxSourcesOfRelation = 32;  // of one relation

/// The sizes that a relation speaks of: "b.size()[0] == a.size()[0]".
std::vector<Variable> SizesIn(std::string_view guard) {
  std::vector<Variable> sizes;
  for (const SourceRef& source : FindSources(guard, kMaxSourcesOfRelation)) {
    if (source.property != SourceRef::Property::kSize || sizes.size() == kMaxSizes) continue;
    sizes.push_back({DynamoSource(source.object), source.dim});
  }
  return sizes;
}

/// The size or int represented by a symbol; absent for strides, offsets and unknown symbols.
std::optional<Variable> VariableOf(std::string_view text) {
  // torch/_subclasses/meta_utils.py names tensors without a source.
  if (text.starts_with("__meta_utils_unknown_tensor")) return std::nullopt;
  const SourceRef source = ParseSource(text);
  const bool is_size = source.property == SourceRef::Property::kSize;
  if (!is_size && source.property != SourceRef::Property::kValue) return std::nullopt;
  return Variable{DynamoSource(source.object), source.dim};
}

/// Reads the history of one code object.
class FrameReader {
 public:
  FrameReader(const Session& session, const ConstantSizes& constant_sizes)
      : session_(session), constant_sizes_(constant_sizes) {}

  CompiledFrame Read(const CodeObjectHistory& history) {
    CompiledFrame frame;
    frame.where = {std::string(session_.text(history.function)),
                   std::string(session_.text(history.file)), history.function_line};
    frame.rank = history.rank;
    frame.number = history.frame;
    for (const HistoryEvent event : history.events) ReadEvent(history, event, frame);
    std::map<uint32_t, std::set<Variable>> symbols;
    for (const auto& [number, attempt] : history.attempts) {
      const uint32_t compile = std::min(number, kMaxCompile);
      frame.compiles = compile + 1;
      if (attempt.limit != nullptr || attempt.has_failed) ++frame.not_kept;
      if (attempt.compilation != nullptr) {
        NoteSymbols(attempt.compilation->symbols, symbols[compile], frame);
        NoteSeconds(attempt.compilation->seconds.total, compile, frame);
        NoteSizes(attempt.compilation->shapes, frame.sizes[compile]);
      }
      for (const Compilation* backward : attempt.backward) {
        NoteSeconds(backward->seconds.total, compile, frame);
      }
      if (attempt.guards != nullptr) {
        NoteSymbols(attempt.guards->symbols, symbols[compile], frame);
      }
    }
    NoteNewlyChanged(symbols, frame);
    return frame;
  }

 private:
  void ReadEvent(const CodeObjectHistory& history, const HistoryEvent& event,
                 CompiledFrame& frame) {
    const EventDetail& detail = session_.detail(session_.events()[event.index]);
    const bool is_limit = detail.kind() == EventKind::kRecompileLimit;
    if (detail.kind() != EventKind::kRecompile && !is_limit) return;
    const uint32_t compile = std::min(event.number, kMaxCompile);
    // The record of a limit follows the record of the recompile that hit it.
    if (!is_limit || frame.misses.empty() || frame.misses.back().compile != compile) {
      frame.misses.push_back(ReadMiss(history, event, detail, frame));
    }
    frame.misses.back().hit_limit = is_limit;
  }

  Miss ReadMiss(const CodeObjectHistory& history, const HistoryEvent& event,
                const EventDetail& detail, CompiledFrame& frame) {
    Miss miss;
    miss.compile = std::min(event.number, kMaxCompile);
    miss.event = event.index;
    const auto entries = history.EntriesOf(session_, detail, event.number);
    std::map<Variable, ConstantSizes::EntriesByValue> by_value;
    for (size_t i = 0; i < entries.size(); ++i) {
      const Variable& variable = GuardOf(detail.reasons()[i]).variable;
      const Reason& reason = session_.reason(detail.reasons()[i]);
      const auto constant =
          constant_sizes_.Add(history, reason, entries[i], event.number, by_value[variable]);
      if (constant) {
        ConstantBy& by = frame.constants[variable];
        by = std::max(by, constant->by);
        if (constant->by == ConstantBy::kLate) {
          for (const StrId tensor : constant->partners) {
            frame.late.insert(DynamoSource(session_.text(tensor)));
          }
        }
      }
      if (!entries[i]) continue;
      if (miss.entries.empty() || miss.entries.back().entry != *entries[i]) {
        miss.entries.push_back({*entries[i], {}});
      }
      miss.entries.back().guards.push_back(GuardOf(detail.reasons()[i]));
    }
    return miss;
  }

  /// The same guard fails again and again; its text is read once.
  const FailedGuard& GuardOf(ReasonId id) {
    const auto [known, is_new] = guards_.try_emplace(id);
    if (!is_new) return known->second;
    const Reason& reason = session_.reason(id);
    known->second = {.guard_class = reason.guard_class,
                     .variable = {DynamoSource(session_.text(reason.source)), reason.dim},
                     .sizes = SizesIn(session_.text(reason.guard)),
                     .expected = ParseNumber(session_.text(reason.expected)),
                     .actual = ParseNumber(session_.text(reason.actual)),
                     .hint = std::string(session_.text(reason.hint))};
    return known->second;
  }

  static void NoteSeconds(std::optional<double> seconds, uint32_t compile, CompiledFrame& frame) {
    if (!seconds) return;
    if (frame.seconds.size() <= compile) frame.seconds.resize(compile + 1);
    frame.seconds[compile] = frame.seconds[compile].value_or(0) + *seconds;
  }

  void NoteSymbols(const std::vector<SymbolFact>& facts, std::set<Variable>& variables,
                   CompiledFrame& frame) const {
    for (const SymbolFact& fact : facts) {
      if (fact.kind != SymbolFact::Kind::kCreated) continue;
      auto variable = VariableOf(session_.text(fact.source));
      if (!variable) continue;
      // torch/fx/experimental/symbolic_shapes.py: the prefixes of SymT.
      if (session_.text(fact.symbol).starts_with("zf")) frame.floats.insert(*variable);
      variables.insert(std::move(*variable));
    }
  }

  /// Records the sizes of inputs. A view's base belongs to Dynamo: no program marks or pads it.
  void NoteSizes(const std::vector<InputShape>& shapes, std::map<Variable, int64_t>& sizes) const {
    for (const InputShape& shape : shapes) {
      if (session_.text(shape.source).ends_with("._base")) continue;
      const std::string source = DynamoSource(session_.text(shape.source));
      int32_t dim = 0;
      for (const std::string_view element : ListElements(session_.text(shape.shape))) {
        if (const auto size = ParseNumber(element)) sizes[{source, dim}] = *size;
        ++dim;
      }
    }
  }

  static void NoteNewlyChanged(const std::map<uint32_t, std::set<Variable>>& symbols,
                               CompiledFrame& frame) {
    std::set<Variable> known;
    std::map<Variable, int64_t> first_sizes;
    auto symbols_at = symbols.begin();
    auto sizes_at = frame.sizes.begin();
    for (Miss& miss : frame.misses) {
      for (; symbols_at != symbols.end() && symbols_at->first < miss.compile; ++symbols_at) {
        known.insert(symbols_at->second.begin(), symbols_at->second.end());
      }
      for (; sizes_at != frame.sizes.end() && sizes_at->first < miss.compile; ++sizes_at) {
        first_sizes.insert(sizes_at->second.begin(), sizes_at->second.end());
      }
      std::set<Variable> changed;
      if (symbols_at != symbols.end() && symbols_at->first == miss.compile) {
        changed = symbols_at->second;
      }
      if (sizes_at != frame.sizes.end() && sizes_at->first == miss.compile) {
        for (const auto& [variable, size] : sizes_at->second) {
          const auto first = first_sizes.find(variable);
          if (first != first_sizes.end() && first->second != size) changed.insert(variable);
        }
      }
      std::ranges::set_difference(changed, known, std::back_inserter(miss.newly_changed));
      known.insert(changed.begin(), changed.end());
    }
  }

  const Session& session_;
  const ConstantSizes& constant_sizes_;
  std::map<ReasonId, FailedGuard> guards_;
};

/// Whether anything is known about its compilations.
bool IsCompiled(const CodeObjectHistory& history, const CompiledFrame& frame) {
  return !frame.misses.empty() || std::ranges::any_of(history.attempts, [](const auto& numbered) {
    return numbered.second.compilation != nullptr;
  });
}

}  // namespace

std::vector<CompiledFrame> ReadCompiledFrames(const Session& session,
                                              const CompileHistory& history) {
  FrameReader reader(session, history.constant_sizes);
  std::vector<CompiledFrame> frames;
  for (const CodeObjectHistory& function : history.functions) {
    if (function.function == StrId::kNone) continue;
    CompiledFrame frame = reader.Read(function);
    if (IsCompiled(function, frame)) frames.push_back(std::move(frame));
  }
  return frames;
}

}  // namespace shapewise
