#include "ingest/formats/torch_log/process_guards.h"

#include <algorithm>
#include <utility>

#include "ingest/formats/torch_log/symbol_line.h"
#include "shapewise/model/compile_id.h"
#include "shapewise/model/guard.h"
#include "shapewise/model/library_file.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kTreeHead = "TREE_GUARD_MANAGER:";
constexpr std::string_view kRoot = "+- RootGuardManager";
constexpr std::string_view kListHead = "GUARDS:";
constexpr std::string_view kLatency = "Guard eval latency = ";

// One input does not print the guards of more compilations; a hostile one could claim it.
constexpr size_t kMaxPrinted = 100'000;
constexpr size_t kMaxFrames = 100'000;

// No compilation has a hundredth of this; it bounds what a hostile input can make grow.
constexpr size_t kMaxFactsOfGuards = 1024;

// Bytes of guards kept until the next entry, in all processes of an input. Guards beyond this are
// not compared: a hostile input could print large entries of frames without end.
constexpr size_t kMaxKeptBytes = size_t{16} << 20;

// The first guards that come from code are the user's; a tree without any is not searched to its
// end.
constexpr uint32_t kMaxLookedAt = 256;

/// Whether a release with this prefix evaluates guards in Python and lists them.
bool IsOfListingRelease(const LogPrefix& prefix) {
  return prefix.style == PrefixStyle::kLogger ||
         (prefix.style == PrefixStyle::kGlog && prefix.process_digits >= 12);
}

/// The last number of "0/1_2", which is 1; 0 if there is none.
uint64_t NumberOf(std::string_view compile_id) {
  compile_id = WithoutAttempt(compile_id);
  const size_t slash = compile_id.rfind('/');
  if (slash == std::string_view::npos) return 0;
  compile_id.remove_prefix(slash + 1);
  return ConsumeUint(compile_id).value_or(0);
}

/// "f /w/train.py:4, stack (elided 5 frames):" behind the words of a record that names the frame it
/// compiles; false if `text` is no such record.
///
/// Source: torch/_dynamo/convert_frame.py and symbolic_convert.py, 2.1 to 2.13.
bool ReadStart(std::string_view text, std::string_view& function, CodePlace& place) {
  if (!ConsumeFront(text, "torchdynamo start compiling ") &&
      !ConsumeFront(text, "Step 1: torchdynamo start tracing ")) {
    return false;
  }
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return false;
  function = text.substr(0, blank);
  text = text.substr(blank + 1);
  place = SplitFileLine(text.substr(0, FindText(text, ", stack (")));
  return place.line > 0;
}

}  // namespace

bool ProcessGuards::IsHead(std::string_view text) {
  text = TrimLeft(text);
  return text.starts_with(kTreeHead) || text.starts_with(kRoot) || text.starts_with(kLatency);
}

bool ProcessGuards::MayBegin(std::string_view text) {
  return text.starts_with("torchdynamo start ") || text.starts_with("Step 1: torchdynamo start ") ||
         IsHead(text);
}

bool ProcessGuards::OnPrefixed(const LogPrefix& prefix, std::string_view head,
                               std::string_view text, const RecordOrigin& origin) {
  const bool is_same = is_open_ && head == head_;
  if (is_same) takes_bare_ = false;
  text = TrimLeft(text);
  std::string_view function;
  CodePlace place;
  if (ReadStart(text, function, place)) {
    Close();
    NoteFunction(prefix.compile_id, function, place);
    return false;
  }
  if (text.starts_with(kTreeHead) || (text.starts_with(kRoot) && !(is_same && tree_))) {
    Open(head, prefix.compile_id, origin);
    tree_.emplace();
    tree_->AddLine(text);
    takes_bare_ = true;
    return true;
  }
  if (ReadLatency(text, prefix.compile_id)) return true;
  if (prefix.artifact == "guards" && Trim(text) == kListHead && IsOfListingRelease(prefix)) {
    Open(head, prefix.compile_id, origin);
    return true;
  }
  if (is_open_ && !tree_ && prefix.artifact == "guards" &&
      prefix.compile_id == session_.text(open_.compile_id)) {
    if (!text.empty()) {
      ++list_size_;
      TakeUserPlace(text);
      KeepGuard(text);
      if (texts_ != nullptr) texts_->AddGuard(text);
    }
    return true;
  }
  if (is_same && tree_) {
    // A guard may hold text of many lines, such as a module's.
    AddGuard(text);
    return true;
  }
  Close();
  return false;
}

bool ProcessGuards::OnBare(std::string_view text, const RecordOrigin& origin) {
  text = TrimLeft(text);
  const bool is_root = text.starts_with(kRoot);
  if (text.starts_with(kTreeHead) || (is_root && !(is_open_ && tree_))) {
    Open({}, {}, origin);
    tree_.emplace();
    takes_bare_ = true;
    return true;
  }
  if (ReadLatency(text, {})) return true;
  if (!is_open_ || !tree_ || !takes_bare_) return false;
  if (text.starts_with("+- ") || text.starts_with("| ")) {
    AddGuard(text);
    return true;
  }
  Close();
  return false;
}

void ProcessGuards::AddGuard(std::string_view text) {
  if (!tree_->AddLine(text)) return;
  if (texts_ != nullptr) texts_->AddTreeLine(text);
  const size_t node = text.find("+- ");
  const size_t colon = text.find(": ", node);
  if (colon == std::string_view::npos) return;
  TakeUserPlace(text.substr(colon + 2));
  if (IsLeafKind(text.substr(node + 3, colon - node - 3))) KeepGuard(text.substr(colon + 2));
}

void ProcessGuards::KeepGuard(std::string_view guard) {
  if (changes_.kept_bytes + entry_.bytes() + guard.size() <= kMaxKeptBytes) entry_.Add(guard);
}

void ProcessGuards::TakeUserPlace(std::string_view guard) {
  if (open_.user_file != StrId::kNone || guards_looked_at_ >= kMaxLookedAt) return;
  if (!HasText(guard, "  # ")) return;
  ++guards_looked_at_;
  const GuardFailure parsed = ParseGuardFailure(guard);
  if (parsed.user_file.empty() || IsLibraryFile(parsed.user_file)) return;
  open_.user_file = session_.strings().Intern(parsed.user_file);
  open_.user_line = parsed.user_line;
  open_.user_function = session_.strings().Intern(parsed.user_function);
}

bool ProcessGuards::ReadLatency(std::string_view text, std::string_view compile_id) {
  if (!ConsumeFront(text, kLatency)) return false;
  Close();
  const std::optional<double> micros = ParseLatency(text);
  if (!micros || latest_ >= printed_.size()) return true;
  PrintedGuards& latest = printed_[latest_];
  if (session_.text(latest.compile_id) == compile_id) latest.guards.latency_us = micros;
  return true;
}

void ProcessGuards::Open(std::string_view head, std::string_view compile_id,
                         const RecordOrigin& origin) {
  Close();
  is_open_ = true;
  head_ = head;
  open_ = PrintedGuards{};
  open_.input = origin.input;
  open_.line = origin.line;
  open_.time = origin.time;
  open_.rank = origin.rank;
  open_.compile_id = session_.strings().Intern(compile_id);
  list_size_ = 0;
  guards_looked_at_ = 0;
  entry_ = EntryGuards{};
  if (keeps_texts_) texts_ = std::make_unique<GuardTextReader>(session_.strings());
}

void ProcessGuards::Close() {
  if (!is_open_) return;
  is_open_ = false;
  takes_bare_ = false;
  if (tree_) {
    open_.guards = tree_->Tally(session_.strings());
    tree_.reset();
  } else {
    open_.guards.leaves = list_size_;
  }
  latest_ = SIZE_MAX;
  if (texts_ != nullptr) open_.guard_texts = texts_->Take();
  texts_.reset();
  if (open_.guards.leaves == 0) return;
  if (symbols_.compile_id == open_.compile_id) {
    open_.symbols = std::move(symbols_.symbols);
    symbols_ = PrintedGuards{};
  }
  if (printed_.size() >= kMaxPrinted) {
    session_.stats().Bump(Stat::guards_too_many, open_.input, open_.line);
    return;
  }
  CompareOpen();
  NameOpen();
  latest_ = printed_.size();
  printed_.push_back(std::move(open_));
}

bool ProcessGuards::OnSymbolLine(std::string_view text, std::string_view compile_id,
                                 const RecordOrigin& origin) {
  if (!keeps_texts_ || compile_id.empty()) return false;
  SymbolFact fact;
  if (!ParseSymbolLine(text, session_.strings(), fact)) return false;
  fact.line = origin.line;
  const StrId id = session_.strings().Intern(compile_id);
  if (symbols_.compile_id != id) {
    TellSymbols();
    symbols_ = PrintedGuards{};
    symbols_.input = origin.input;
    symbols_.line = origin.line;
    symbols_.time = origin.time;
    symbols_.rank = origin.rank;
    symbols_.compile_id = id;
  }
  if (symbols_.symbols.size() < kMaxFactsOfGuards) symbols_.symbols.push_back(fact);
  return true;
}

/// Keeps what was told of a compilation whose guards were not printed.
void ProcessGuards::TellSymbols() {
  if (symbols_.symbols.empty()) return;
  std::swap(open_, symbols_);
  if (printed_.size() < kMaxPrinted) {
    NameOpen();
    printed_.push_back(std::move(open_));
  }
  std::swap(open_, symbols_);
  symbols_ = PrintedGuards{};
}

void ProcessGuards::Finish() {
  Close();
  TellSymbols();
}

/// Says what differs between the guards of open_ and those of the entry before it, and keeps these
/// for the entry behind it.
void ProcessGuards::CompareOpen() {
  const std::string_view id = session_.text(open_.compile_id);
  Frame* const frame = FrameFor(id);
  if (frame == nullptr) return;
  const std::string_view entry = WithoutAttempt(id);
  const uint64_t number = NumberOf(id);
  if (frame->has_guards && number == frame->latest + 1) {
    std::vector<std::string> guards = entry_.ChangedSince(frame->entry);
    if (!guards.empty()) {
      const std::string before = std::string(FrameOf(entry)) + "/" + std::to_string(number - 1);
      changes_.by_id.try_emplace({open_.rank, std::string(entry)},
                                 GuardChanges::Change{before, std::move(guards)});
    }
  }
  changes_.kept_bytes = changes_.kept_bytes - frame->entry.bytes() + entry_.bytes();
  frame->entry = std::move(entry_);
  entry_ = EntryGuards{};
}

/// Names the function of open_, or leaves word that it waits for a name.
void ProcessGuards::NameOpen() {
  const std::string_view id = session_.text(open_.compile_id);
  Frame* const frame = FrameFor(id);
  if (frame == nullptr) return;
  const uint64_t number = NumberOf(id);
  if (frame->has_guards && number <= frame->latest) {
    // Numbered anew: what was printed before, and maybe the name, are another function's.
    frame->unnamed.clear();
    if (frame->named_by != number) frame->is_named = false;
  }
  frame->has_guards = true;
  frame->latest = number;
  if (frame->is_named) {
    open_.function = frame->function;
    open_.file = frame->file;
    open_.function_line = frame->line;
  } else {
    frame->unnamed.push_back(printed_.size());
  }
}

void ProcessGuards::NoteFunction(std::string_view compile_id, std::string_view function,
                                 const CodePlace& place) {
  Frame* const frame = FrameFor(compile_id);
  if (frame == nullptr || function.empty()) return;
  const uint64_t number = NumberOf(compile_id);
  const StrId name = session_.strings().Intern(function);
  const StrId file = session_.strings().Intern(place.file);
  const bool is_other = frame->is_named && (frame->function != name || frame->file != file ||
                                            frame->line != place.line);
  if (is_other || (frame->has_guards && number <= frame->latest)) frame->unnamed.clear();
  frame->function = name;
  frame->file = file;
  frame->line = place.line;
  frame->is_named = true;
  frame->named_by = number;
  for (const size_t index : frame->unnamed) {
    printed_[index].function = name;
    printed_[index].file = file;
    printed_[index].function_line = place.line;
  }
  frame->unnamed.clear();
}

ProcessGuards::Frame* ProcessGuards::FrameFor(std::string_view compile_id) {
  if (compile_id.empty()) return nullptr;
  const std::string_view name = FrameOf(WithoutAttempt(compile_id));
  const auto known = frames_.find(name);
  if (known != frames_.end()) return &known->second;
  if (frames_.size() >= kMaxFrames) return nullptr;
  return &frames_[std::string(name)];
}

std::unique_ptr<ProcessGuards> ProcessGuards::CopyInto(Session& session,
                                                       std::vector<PrintedGuards>& printed,
                                                       GuardChanges& changes) const {
  // A run that is followed is never read for its texts.
  auto copy = std::make_unique<ProcessGuards>(session, printed, changes, /*keeps_texts=*/false);
  copy->open_ = open_;
  copy->entry_ = entry_;
  copy->tree_ = tree_;
  copy->list_size_ = list_size_;
  copy->is_open_ = is_open_;
  copy->frames_ = frames_;
  return copy;
}

}  // namespace shapewise
