// The code objects of one function, found in a run: the function itself, the resume functions after
// its breaks, and the functions it calls in between that are compiled separately.

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "dynamo/body_of_run.h"
#include "dynamo/body_parts.h"
#include "dynamo/run_function.h"
#include "llvm/ADT/ArrayRef.h"
#include "model/compile_number.h"
#include "model/resume_name.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// Maximum number of paths through a body; further paths are unknown.
constexpr size_t kMaxCompiles = 64;

/// "torch_dynamo_resume_in_step_at_12" -> "step"; empty: not a resume function.
std::string_view ResumedFunction(std::string_view function) {
  const auto resume = ParseResumeName(function);
  return resume ? resume->function : std::string_view();
}

/// One code object of the run.
struct Code {
  const TracedCompile* begin = nullptr;  ///< its first compilation
  size_t first = 0;                      ///< the number of that compilation
  std::vector<const TracedCompile*> compiles;

  const std::string& function() const { return begin->function; }

  std::string Text() const {
    return function() + (begin->line == 0 ? "" : " at line " + std::to_string(begin->line));
  }
};

/// Frame, function, file and line of a code object: torch._dynamo.reset() restarts the numbering,
/// so the number of a frame alone does not identify it.
using CodeKey = std::tuple<uint32_t, std::string_view, std::string_view, uint32_t>;

CodeKey KeyOf(const CompileRecord& record) {
  return {record.frame, record.function, record.file, record.line};
}

/// The function as the user wrote it.
std::string_view WrittenName(std::string_view function) {
  const std::string_view resumed = ResumedFunction(function);
  return resumed.empty() ? function : resumed;
}

/// Whether a break of this type is caused by a value that is known only at run time.
bool IsBreakOnData(std::string_view type) {
  return HasText(type, "Tensor.item()") || HasText(type, "Dynamic shape") ||
         HasText(type, "ata dependent") || HasText(type, "ata-dependent") ||
         HasText(type, "Dynamic slicing");
}

/// The frames that break, and whether for values that are known only when they run.
std::map<uint32_t, bool> FramesWithBreaks(const Session& session) {
  std::map<uint32_t, bool> frames;
  for (const Event& event : session.events()) {
    const EventDetail& detail = session.detail(event);
    if (detail.kind() != EventKind::kGraphBreak) continue;
    const auto number = ParseCompileNumber(session.text(event.compile_id));
    if (number) frames[number->frame] |= IsBreakOnData(session.text(detail.type()));
  }
  return frames;
}

}  // namespace

class LinkedBodies::Reader {
 public:
  Reader(const Session& session, const RunProbes* probes) : session_(session), run_probes_(probes) {
    const auto records = FindCompileRecords(session);
    const auto own = records.find(FirstRank(session));
    if (own == records.end()) return;
    for (const CompileRecord& record : own->second) {
      compiles_.push_back(ReadTracedCompile(session, record, *body_.pool));
    }
    std::map<CodeKey, size_t> codes;
    for (size_t i = 0; i < compiles_.size(); ++i) {
      const auto [known, is_new] = codes.try_emplace(KeyOf(own->second[i]), codes_.size());
      if (is_new) codes_.push_back({&compiles_[i], i, {}});
      Code& code = codes_[known->second];
      if (code.compiles.size() < kMaxCompiles) code.compiles.push_back(&compiles_[i]);
    }
  }

  LinkedBody Read(std::optional<uint32_t> frame, const Place& where) {
    if (run_probes_ != nullptr) ReadProbes(where);
    const auto root = std::ranges::find_if(codes_, [&](const Code& code) {
      return (!frame || code.begin->frame == *frame) &&
             (where.function.empty() || code.function() == where.function) &&
             (where.line == 0 || code.begin->line == 0 || code.begin->line == where.line);
    });
    body_.frames.clear();
    taken_.clear();
    if (root == codes_.end()) return {.body = body_, .frames = {}};
    Take(*root);
    for (auto code = root + 1; code != codes_.end(); ++code) {
      if (IsPart(*code)) Take(*code);
    }
    if (!frame && where.function.empty() && taken_.size() < codes_.size()) {
      return {.body = SeveralFunctions(*root), .frames = {}};
    }
    if (taken_.size() > 1) Link();
    ReadBreaks();
    LinkedBody linked{.body = body_, .frames = {}};
    for (const Code* code : taken_) linked.frames.push_back(code->begin->frame);
    return linked;
  }

 private:
  /// Reads what probes traced of the function at `where`.
  void ReadProbes(const Place& where) {
    probes_.clear();
    for (const auto& [rank, records] : FindCompileRecords(run_probes_->session)) {
      for (const CompileRecord& record : records) {
        const bool is_same =
            record.function == where.function && record.line == where.line &&
            (record.file.empty() || where.file.empty() || record.file == where.file);
        if (!is_same || probes_.size() >= kMaxCompiles) continue;
        TracedCompile compile = ReadTracedCompile(run_probes_->session, record, *body_.pool);
        if (compile.has_code) probes_.push_back(std::move(compile));
      }
    }
  }

  /// An unknown body, because several of the run's functions could be meant.
  BodyFacts SeveralFunctions(const Code& root) const {
    const auto other = std::ranges::find_if(
        codes_, [&](const Code& code) { return std::ranges::find(taken_, &code) == taken_.end(); });
    BodyFacts body;
    body.frames.emplace_back().unknown_because = "the trace contains several functions (" +
                                                 root.Text() + ", " + other->Text() +
                                                 "): --function names the one that is meant";
    return body;
  }

  /// Records which frames break on values that are known only at run time.
  void ReadBreaks() {
    const std::map<uint32_t, bool> frames = FramesWithBreaks(session_);
    for (size_t at = 0; at < taken_.size(); ++at) {
      const auto found = frames.find(taken_[at]->begin->frame);
      body_.frames[at].breaks_on_data = found != frames.end() && found->second;
    }
  }

  void Take(const Code& code) {
    taken_.push_back(&code);
    std::vector<const TracedCompile*> compiles = code.compiles;
    // A probe traces the function itself.
    if (taken_.size() == 1) {
      for (const TracedCompile& probe : probes_) compiles.push_back(&probe);
    }
    body_.frames.push_back(ReadBodyFrame(compiles, *body_.pool));
  }

  /// Whether `code` resumes a selected code object, or was called by one: then it was first
  /// compiled between a caller and its resume function.
  bool IsPart(const Code& code) const {
    if (const std::string_view resumed = ResumedFunction(code.function()); !resumed.empty()) {
      return std::ranges::any_of(taken_,
                                 [&](const Code* taken) { return NameOf(*taken) == resumed; });
    }
    return std::ranges::any_of(codes_, [&](const Code& later) {
      const std::string_view resumed = ResumedFunction(later.function());
      return !resumed.empty() && later.first > code.first &&
             std::ranges::any_of(taken_, [&](const Code* taken) {
               return NameOf(*taken) == resumed &&
                      IndexOf(LastBefore(*taken, later.first)) < code.first;
             });
    });
  }

  /// Links code objects in the order in which they run: a resume function after the function that
  /// it resumes, a callee after the last function that started.
  void Link() {
    std::vector<uint32_t> open{0};  // functions that are running, at their latest resume function
    for (uint32_t at = 1; at < taken_.size(); ++at) {
      const std::string_view resumed = ResumedFunction(taken_[at]->function());
      while (!resumed.empty() && open.size() > 1 && NameOf(*taken_[open.back()]) != resumed) {
        open.pop_back();
      }
      const uint32_t parent = open.back();
      body_.frames[parent].resumes.push_back(at);
      if (resumed.empty()) {
        open.push_back(at);
      } else {
        open.back() = at;
      }
      ReadInputs(parent, at);
    }
  }

  /// Reads what frame `at` takes from frame `parent`, from the compilation that shows most: sizes
  /// are expressions only where they were symbols.
  void ReadInputs(uint32_t parent, uint32_t at) {
    std::optional<size_t> most;
    for (const TracedCompile* compile : taken_[at]->compiles) {
      const size_t index = IndexOf(*compile);
      std::vector<HandingOver> before;
      if (parent != 0) {
        before.push_back({&LastBefore(*taken_[parent], index), &body_.frames[parent]});
      }
      before.push_back({&LastBefore(*taken_[0], index), &body_.frames[0], probes_});
      auto inputs = ReadResumeInputs(before, *compile, body_.frames[at], *body_.pool);
      const size_t shown = CountExpressions(inputs);
      if (most && *most >= shown) continue;
      most = shown;
      body_.frames[at].inputs = std::move(inputs);
    }
    std::vector<Compiles> earlier;
    for (const Code* code : llvm::ArrayRef(taken_).take_front(at)) {
      earlier.emplace_back(code->compiles);
    }
    ReadPassedTensors(taken_[at]->compiles, earlier, *body_.pool, body_.frames[at].inputs);
  }

  /// The sizes and values that depend on those of the first frame.
  size_t CountExpressions(const std::vector<ResumeInput>& inputs) const {
    const auto depends = [&](ExprId part) {
      return part != ExprId::kNone && !body_.pool->SymbolsOf(part).empty();
    };
    size_t count = 0;
    for (const ResumeInput& input : inputs) {
      count += input.same_as.empty()
                   ? static_cast<size_t>(std::ranges::count_if(input.sizes, depends))
                   : input.sizes.size() + 1;
      count += depends(input.value) ? 1 : 0;
    }
    return count;
  }

  static std::string_view NameOf(const Code& code) { return WrittenName(code.function()); }

  size_t IndexOf(const TracedCompile& compile) const {
    return static_cast<size_t>(&compile - compiles_.data());
  }

  /// The last compilation of `code` before number `before`: it saw the same call.
  const TracedCompile& LastBefore(const Code& code, size_t before) const {
    const TracedCompile* last = code.compiles.front();
    for (const TracedCompile* compile : code.compiles) {
      if (IndexOf(*compile) < before) last = compile;
    }
    return *last;
  }

  const Session& session_;
  const RunProbes* run_probes_;  // or null
  BodyFacts body_;
  std::vector<TracedCompile> compiles_;
  std::vector<TracedCompile> probes_;
  std::vector<Code> codes_;
  std::vector<const Code*> taken_;
};

CodeBodies::CodeBodies(const Session& session, const RunProbes* probes)
    : session_(session), probes_(probes), breaks_(FramesWithBreaks(session)) {
  if (probes != nullptr) {
    for (const auto& [rank, records] : FindCompileRecords(probes->session)) {
      for (const CompileRecord& record : records) {
        std::vector<CompileRecord>& known = probed_[{record.function, record.line}];
        if (known.size() < kMaxCompiles) known.push_back(record);
      }
    }
  }
  for (const auto& [rank, records] : FindCompileRecords(session)) {
    Process& process = processes_[rank];
    std::map<CodeKey, size_t> codes;
    for (const CompileRecord& record : records) {
      const auto [known, is_new] = codes.try_emplace(KeyOf(record), process.codes.size());
      if (is_new) {
        process.codes.emplace_back();
        process.by_place.try_emplace({record.frame, record.function, record.line}, known->second);
        process.by_name.try_emplace({record.frame, record.function}, known->second);
        const std::string_view resumed = ResumedFunction(record.function);
        if (!resumed.empty()) process.last_resuming[resumed] = known->second;
      }
      std::vector<CompileRecord>& compiles = process.codes[known->second];
      if (compiles.size() < kMaxCompiles) compiles.push_back(record);
    }
  }
}

std::optional<CodeBody> CodeBodies::Read(int32_t rank, std::optional<uint32_t> frame,
                                         const Place& where) const {
  if (!frame) return std::nullopt;
  const auto process = processes_.find(rank == kNoRank ? FirstRank(session_) : rank);
  if (process == processes_.end()) return std::nullopt;
  const std::optional<size_t> code = process->second.Find(*frame, where);
  if (!code) return std::nullopt;
  CodeBody result;
  std::vector<TracedCompile> compiles;
  for (const CompileRecord& record : process->second.codes[*code]) {
    compiles.push_back(ReadTracedCompile(session_, record, *result.body.pool));
  }
  AddProbes(where, result, compiles);
  std::vector<const TracedCompile*> pointers;
  for (const TracedCompile& compile : compiles) pointers.push_back(&compile);
  result.body.frames.push_back(ReadBodyFrame(pointers, *result.body.pool));
  const auto breaks = breaks_.find(compiles.front().frame);
  result.body.frames.front().goes_on = breaks != breaks_.end();
  result.body.frames.front().breaks_on_data = breaks != breaks_.end() && breaks->second;
  const auto resuming = process->second.last_resuming.find(WrittenName(where.function));
  result.is_resumed = resuming != process->second.last_resuming.end() && resuming->second > *code;
  return result;
}

void CodeBodies::AddProbes(const Place& where, CodeBody& result,
                           std::vector<TracedCompile>& compiles) const {
  if (probes_ == nullptr) return;
  result.are_objects_alike = std::ranges::find(probes_->alike, where) != probes_->alike.end();
  const auto probed = probed_.find({where.function, where.line});
  if (probed == probed_.end()) return;
  for (const CompileRecord& record : probed->second) {
    if (!record.file.empty() && !where.file.empty() && record.file != where.file) continue;
    TracedCompile compile = ReadTracedCompile(probes_->session, record, *result.body.pool);
    if (!compile.has_code) continue;
    result.is_probed = true;
    compiles.push_back(std::move(compile));
  }
}

std::optional<size_t> CodeBodies::Process::Find(uint32_t frame, const Place& where) const {
  std::optional<size_t> found;
  const auto take = [&found](const auto& index, const auto& key) {
    const auto entry = index.find(key);
    if (entry != index.end()) found = std::min(found.value_or(entry->second), entry->second);
  };
  const std::string_view function = where.function;
  if (where.line == 0) {
    take(by_name, std::pair{frame, function});
  } else {
    take(by_place, std::tuple{frame, function, where.line});
    take(by_place, std::tuple{frame, function, uint32_t{0}});
  }
  return found;
}

LinkedBodies::LinkedBodies(const Session& session, const RunProbes* probes)
    : reader_(std::make_unique<Reader>(session, probes)) {}

LinkedBodies::~LinkedBodies() = default;

LinkedBody LinkedBodies::Read(std::optional<uint32_t> frame, const Place& where) {
  return reader_->Read(frame, where);
}

BodyFacts BodyOfRun(const Session& session, std::optional<uint32_t> frame, const Place& where) {
  return LinkedBodies(session, nullptr).Read(frame, where).body;
}

}  // namespace shapewise
