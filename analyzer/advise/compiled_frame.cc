#include "advise/compiled_frame.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "advise/change.h"
#include "shapewise/model/compile_number.h"
#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

// Hostile numbers of compilations would otherwise size the tables.
constexpr uint32_t kMaxCompile = 1U << 20;
constexpr size_t kMaxSizes = 8;               // of one relation
constexpr size_t kMaxSourcesOfRelation = 32;  // of one relation

using FrameKey = std::tuple<uint32_t, int32_t, uint32_t, StrId, StrId, uint32_t>;

std::optional<int64_t> IntegerOf(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The sizes that a relation speaks of: "b.size()[0] == a.size()[0]".
std::vector<Variable> SizesIn(std::string_view guard) {
  std::vector<Variable> sizes;
  for (const SourceRef& source : FindSources(guard, kMaxSourcesOfRelation)) {
    if (source.property != SourceRef::Property::kSize || sizes.size() == kMaxSizes) continue;
    sizes.push_back({DynamoSource(source.object), source.dim});
  }
  return sizes;
}

/// The size or int that a symbol stands for; absent for strides, offsets and what is unknown.
std::optional<Variable> VariableOf(std::string_view text) {
  const SourceRef source = ParseSource(text);
  const bool is_size = source.property == SourceRef::Property::kSize;
  if (!is_size && source.property != SourceRef::Property::kValue) return std::nullopt;
  return Variable{DynamoSource(source.object), source.dim};
}

/// The frames of one code object in one process, one for each time that its numbers began anew.
struct Stretches {
  std::vector<CompiledFrame> frames;
  std::vector<std::set<uint32_t>> not_kept;                     // by frame
  std::vector<std::map<uint32_t, std::set<Variable>>> symbols;  // by frame and compilation
  std::optional<uint32_t> last;
  size_t order = 0;  // of its first record
};

class FrameReader {
 public:
  explicit FrameReader(const Session& session) : session_(session) {}

  std::vector<CompiledFrame> Read() {
    for (size_t i = 0; i < session_.events().size(); ++i) ReadEvent(i);
    for (auto& [key, stretches] : frames_) stretches.last.reset();
    std::map<FrameKey, size_t> stretch;
    for (const Compilation& compilation : session_.compilations()) {
      ReadCompilation(compilation, stretch);
    }
    for (const PrintedGuards& guards : session_.printed_guards()) ReadPrintedGuards(guards);
    return Finish();
  }

 private:
  FrameKey KeyOf(uint32_t input, int32_t rank, uint32_t frame, StrId function, StrId file,
                 uint32_t line) const {
    return {input, rank, frame, function, file, line};
  }

  Stretches& StretchesOf(const FrameKey& key) {
    const auto [at, is_new] = frames_.try_emplace(key);
    if (is_new) at->second.order = frames_.size();
    return at->second;
  }

  CompiledFrame& AddFrame(Stretches& stretches, const FrameKey& key) {
    const auto& [input, rank, number, function, file, line] = key;
    CompiledFrame& frame = stretches.frames.emplace_back();
    stretches.not_kept.emplace_back();
    stretches.symbols.emplace_back();
    frame.where = {std::string(session_.text(function)), std::string(session_.text(file)), line};
    frame.rank = rank;
    frame.input = input;
    return frame;
  }

  static void NameFrame(std::string_view compile_id, CompiledFrame& frame) {
    if (frame.number.empty()) frame.number = compile_id.substr(0, compile_id.rfind('/'));
  }

  void ReadEvent(size_t index) {
    const Event& event = session_.events()[index];
    const EventDetail& detail = session_.detail(event);
    const bool is_miss = detail.kind() == EventKind::kRecompile;
    const bool is_limit = detail.kind() == EventKind::kRecompileLimit;
    const bool is_failure = detail.kind() == EventKind::kSkippedFrame ||
                            detail.kind() == EventKind::kCompileError ||
                            detail.kind() == EventKind::kConstraintViolation;
    if (!is_miss && !is_limit && !is_failure) return;
    if (detail.function == StrId::kNone) return;
    const std::string_view id = session_.text(event.compile_id);
    const auto number = ParseCompileNumber(id);
    const FrameKey key = KeyOf(event.input, event.rank, number ? number->frame : UINT32_MAX,
                               detail.function, detail.file, detail.function_line);
    if (is_failure && !frames_.contains(key)) return;
    Stretches& stretches = StretchesOf(key);
    uint32_t compile = 0;
    if (number) {
      compile = std::min(number->compile, kMaxCompile);
    } else {
      // The record of a limit follows that of the recompile which ran into it.
      compile = stretches.last ? *stretches.last + (is_miss ? 1 : 0) : 1;
    }
    const bool begins_anew = is_miss && stretches.last && compile <= *stretches.last;
    if (stretches.frames.empty() || begins_anew) AddFrame(stretches, key);
    CompiledFrame& frame = stretches.frames.back();
    NameFrame(id, frame);
    frame.compiles = std::max(frame.compiles, compile + 1);
    if (!is_miss) stretches.not_kept.back().insert(compile);
    if (!is_failure) stretches.last = compile;
    if (is_miss) {
      frame.misses.push_back(ReadMiss(index, compile, detail));
    } else if (is_limit) {
      if (frame.misses.empty() || frame.misses.back().compile != compile) {
        frame.misses.push_back(ReadMiss(index, compile, detail));
      }
      frame.misses.back().hit_limit = true;
    }
  }

  Miss ReadMiss(size_t index, uint32_t compile, const EventDetail& detail) const {
    Miss miss;
    miss.compile = compile;
    miss.event = index;
    uint32_t next = compile;  // entries are printed newest first
    for (const ReasonId id : detail.reasons()) {
      const Reason& reason = session_.reason(id);
      const auto number = ParseCompileNumber(session_.text(reason.entry));
      const uint32_t entry = number ? number->compile : (next > 0 ? --next : 0);
      if (miss.entries.empty() || miss.entries.back().entry != entry) {
        miss.entries.push_back({entry, {}});
      }
      miss.entries.back().guards.push_back(
          {.guard_class = reason.guard_class,
           .variable = {DynamoSource(session_.text(reason.source)), reason.dim},
           .sizes = SizesIn(session_.text(reason.guard)),
           .expected = IntegerOf(session_.text(reason.expected)),
           .actual = IntegerOf(session_.text(reason.actual)),
           .hint = std::string(session_.text(reason.hint))});
    }
    return miss;
  }

  void ReadCompilation(const Compilation& compilation, std::map<FrameKey, size_t>& stretch) {
    const std::string_view id = session_.text(compilation.compile_id);
    const auto number = ParseCompileNumber(id);
    if (!number || compilation.function == StrId::kNone) return;
    const FrameKey key = KeyOf(compilation.input, compilation.rank, number->frame,
                               compilation.function, compilation.file, compilation.function_line);
    const uint32_t compile = std::min(number->compile, kMaxCompile);
    Stretches& stretches = StretchesOf(key);
    const bool is_backward = compilation.outcome == CompileOutcome::kBackward;
    size_t& at = stretch[key];
    if (!is_backward && stretches.last && compile < *stretches.last) ++at;
    if (!is_backward) stretches.last = compile;
    while (stretches.frames.size() <= at) AddFrame(stretches, key);
    CompiledFrame& frame = stretches.frames[at];
    NameFrame(id, frame);
    frame.is_counted = true;
    frame.compiles = std::max(frame.compiles, compile + 1);
    NoteSymbols(compilation.symbols, stretches.symbols[at][compile]);
    if (compilation.outcome == CompileOutcome::kFailed) stretches.not_kept[at].insert(compile);
    if (!compilation.seconds.total) return;
    if (frame.seconds.size() <= compile) frame.seconds.resize(compile + 1);
    frame.seconds[compile] = frame.seconds[compile].value_or(0) + *compilation.seconds.total;
  }

  static bool IsSameFrame(const FrameKey& key, const PrintedGuards& guards, uint32_t frame) {
    return std::get<0>(key) == guards.input && std::get<1>(key) == guards.rank &&
           std::get<2>(key) == frame;
  }

  /// Text logs print symbols under the compile id alone. Where its number began anew, whose they
  /// are is not told.
  void ReadPrintedGuards(const PrintedGuards& guards) {
    const auto number = ParseCompileNumber(session_.text(guards.compile_id));
    if (!number || guards.symbols.empty()) return;
    const FrameKey from{guards.input, guards.rank, number->frame, StrId{}, StrId{}, 0};
    Stretches* found = nullptr;
    for (auto at = frames_.lower_bound(from);
         at != frames_.end() && IsSameFrame(at->first, guards, number->frame); ++at) {
      if (found != nullptr) return;
      found = &at->second;
    }
    if (found == nullptr || found->frames.size() != 1) return;
    NoteSymbols(guards.symbols, found->symbols[0][std::min(number->compile, kMaxCompile)]);
  }

  void NoteSymbols(const std::vector<SymbolFact>& facts, std::set<Variable>& variables) const {
    for (const SymbolFact& fact : facts) {
      if (fact.kind != SymbolFact::Kind::kCreated) continue;
      if (auto variable = VariableOf(session_.text(fact.source))) {
        variables.insert(std::move(*variable));
      }
    }
  }

  static void NoteNewlyFree(const std::map<uint32_t, std::set<Variable>>& symbols,
                            CompiledFrame& frame) {
    std::set<Variable> known;
    auto at = symbols.begin();
    for (Miss& miss : frame.misses) {
      for (; at != symbols.end() && at->first < miss.compile; ++at)
        known.insert(at->second.begin(), at->second.end());
      if (at == symbols.end() || at->first != miss.compile) continue;
      std::ranges::set_difference(at->second, known, std::back_inserter(miss.newly_free));
    }
  }

  std::vector<CompiledFrame> Finish() {
    std::vector<const Stretches*> ordered;
    for (auto& [key, stretches] : frames_) {
      for (size_t i = 0; i < stretches.frames.size(); ++i) {
        CompiledFrame& frame = stretches.frames[i];
        frame.not_kept = static_cast<uint32_t>(stretches.not_kept[i].size());
        frame.compiles = std::max(frame.compiles, frame.not_kept);
        NoteNewlyFree(stretches.symbols[i], frame);
        frame.tells_symbols = std::ranges::any_of(
            stretches.symbols[i], [](const auto& made) { return !made.second.empty(); });
      }
      ordered.push_back(&stretches);
    }
    std::ranges::sort(ordered, {}, &Stretches::order);
    std::vector<CompiledFrame> frames;
    for (const Stretches* stretches : ordered) {
      frames.insert(frames.end(), stretches->frames.begin(), stretches->frames.end());
    }
    return frames;
  }

  const Session& session_;
  std::map<FrameKey, Stretches> frames_;
};

}  // namespace

std::vector<CompiledFrame> ReadCompiledFrames(const Session& session) {
  return FrameReader(session).Read();
}

}  // namespace shapewise
