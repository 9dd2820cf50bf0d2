#include "ingest/formats/torch_log/process_guards.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "ingest/messages/wording.h"
#include "model/code_owner.h"
#include "model/compile_number.h"
#include "model/guard.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kTreeHead = "TREE_GUARD_MANAGER:";
constexpr std::string_view kRoot = "+- RootGuardManager";
constexpr std::string_view kListHead = "GUARDS:";
constexpr std::string_view kLatency = "Guard eval latency = ";

// Real inputs print the guards of fewer compilations; a hostile one could claim more.
constexpr size_t kMaxPrinted = 100'000;
constexpr size_t kMaxFrames = 100'000;

// Real compilations have less than a hundredth of this; it bounds the memory for hostile input.
constexpr size_t kMaxFactsOfGuards = 1024;

// Bytes of guards kept until the next entry, over all processes of an input. Guards beyond this are
// not compared: a hostile input could print large entries of frames without end.
constexpr size_t kMaxKeptBytes = size_t{16} << 20;

// Guards that changed from one entry to the next; the first ones are kept.
constexpr size_t kMaxChanged = 8;

// The first guards caused by code are the user's; a tree without any is not searched to its end.
constexpr uint32_t kMaxLookedAt = 256;

/// Whether a release with this prefix evaluates guards in Python and lists them.
bool IsOfListingRelease(const LogPrefix& prefix) {
  return prefix.style == PrefixStyle::kLogger ||
         (prefix.style == PrefixStyle::kGlog && prefix.process_digits >= 12);
}

/// The index of a compilation in its frame: 1 of "0/1_2".
uint64_t NumberOf(std::string_view compile_id) {
  return ParseCompileNumber(compile_id).value_or(CompileNumber()).compile;
}

/// Parses "f /w/train.py:4, stack (elided 5 frames):" after the words of a record that names the
/// frame it compiles; false if `text` is not such a record.
///
/// Source: torch/_dynamo/convert_frame.py and symbolic_convert.py, 2.1 to 2.13.
bool ReadStart(std::string_view text, std::string_view& function, CodePlace& place) {
  if (!ConsumeFront(text, "torchdynamo start compiling ") &&
      !ConsumeFront(text, "Step 1: torchdynamo start tracing ")) {
    return false;
  }
  const size_t blank = text.find(' ');
  if (blank == kNotFound) return false;
  function = text.substr(0, blank);
  text = text.substr(blank + 1);
  place = SplitFileLine(text.substr(0, FindText(text, ", stack (")));
  return place.line > 0;
}

/// The subject of a guard, without the required value.
struct GuardSubject {
  GuardClass guard_class = GuardClass::kOther;
  std::string source;
  int32_t dim = -1;

  friend auto operator<=>(const GuardSubject&, const GuardSubject&) = default;
};

GuardSubject SubjectOf(std::string_view guard) {
  const GuardFailure parsed = ParseGuardFailure(guard);
  return {parsed.guard_class, std::string(parsed.source), parsed.dim};
}

/// Removes and returns the text before `separator`, which is removed as well; all of `text` if it
/// is not found.
std::string_view TakeUntil(std::string_view& text, std::string_view separator) {
  const size_t at = FindText(text, separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == kNotFound ? text.size() : at + separator.size());
  return taken;
}

/// The guard on a size with which "check_tensor(L['x'], Tensor, ..., size=[8, 48], ...)" differs
/// from that of the next entry: "L['x'].size()[1] == 48". Empty if they differ in something else.
std::string ChangedSize(std::string_view before, std::string_view after) {
  constexpr std::string_view kCheck = "check_tensor(";
  constexpr std::string_view kSize = "size=[";
  const size_t begin = FindText(before, kSize);
  if (!before.starts_with(kCheck) || begin == kNotFound ||
      before.substr(0, begin) != after.substr(0, std::min(begin, after.size()))) {
    return {};
  }
  std::string_view source = before.substr(kCheck.size());
  source = source.substr(0, FindText(source, ", "));
  std::string_view old_sizes = TextBetween(before, kSize, "]");
  std::string_view new_sizes = TextBetween(after, kSize, "]");
  for (int dim = 0; !old_sizes.empty() && !new_sizes.empty(); ++dim) {
    const std::string_view old_size = TakeUntil(old_sizes, ", ");
    const std::string_view new_size = TakeUntil(new_sizes, ", ");
    if (old_size == new_size) continue;
    const std::string size = std::string(source) + ".size()[" + std::to_string(dim) + "]";
    if (IsInteger(old_size)) return size + " == " + std::string(old_size);
    return IsOneOf(new_size, {"0", "1"}) ? "2 <= " + size : std::string();
  }
  return {};
}

/// How little a changed guard explains. A Python value has a graph for each, whereas a size becomes
/// dynamic; keys, types and ids of objects differ as a consequence, wherever code looks at the
/// value.
int RankOf(const GuardSubject& subject) {
  switch (subject.guard_class) {
    case GuardClass::kInt:
    case GuardClass::kFloat:
    case GuardClass::kBool:
    case GuardClass::kStr:
    case GuardClass::kNone:
      return 0;
    case GuardClass::kSize:
    case GuardClass::kSymbolic:
    case GuardClass::kZeroOne:
      return 1;
    case GuardClass::kOther:
      return 3;
    default:
      return 2;
  }
}

/// The guards of `before` that have another value in `after`, at most kMaxChanged of them, those
/// that explain most first, and of these the nearest to the arguments; both are sorted. A guard in
/// both holds for the call that compiled `after`, so it is not the one that failed in `before`; a
/// guard in only one of them may be missing because the log is truncated.
std::vector<std::string> ChangedGuards(const EntryGuards& before, const EntryGuards& after) {
  std::vector<std::string> gone;
  std::vector<std::string> added;
  std::ranges::set_difference(before.guards, after.guards, std::back_inserter(gone));
  std::ranges::set_difference(after.guards, before.guards, std::back_inserter(added));
  std::map<GuardSubject, std::string_view> subjects;
  for (const std::string& guard : added) subjects.try_emplace(SubjectOf(guard), guard);
  std::vector<std::tuple<int, size_t, std::string>> ranked;
  for (std::string& guard : gone) {
    const GuardSubject subject = SubjectOf(guard);
    const auto other = subjects.find(subject);
    if (subject.source.empty() || other == subjects.end()) continue;
    std::string size = ChangedSize(guard, other->second);
    const int rank = RankOf(size.empty() ? subject : SubjectOf(size));
    ranked.emplace_back(rank, subject.source.size(),
                        size.empty() ? std::move(guard) : std::move(size));
  }
  std::ranges::sort(ranked);
  ranked.resize(std::min(ranked.size(), kMaxChanged));
  std::vector<std::string> changed;
  for (auto& [rank, length, guard] : ranked) changed.push_back(std::move(guard));
  return changed;
}

constexpr std::string_view kGuardAdded = " [guard added]";

/// `text` is "return x + 1  # m.py:6 in f (builder.py:4960 in <lambda>), for more ..."; 2.2 prints
/// "at m.py:6 in f (...)". The guard reader parses both forms of comments.
void SetPlace(std::string_view text, StringPool& strings, SymbolFact& fact) {
  text = Trim(text.substr(0, FindText(text, ", for more info run with")));
  ConsumeFront(text, "at ");
  const std::string commented = "s == 0  # " + std::string(text);
  const GuardFailure parsed = ParseGuardFailure(commented);
  fact.user_file = strings.Intern(parsed.user_file);
  fact.user_line = parsed.user_line;
  fact.user_function = strings.Intern(parsed.user_function);
}

/// "[2, int_oo]" at the front.
std::string_view TakeRange(std::string_view& text) {
  if (!text.starts_with('[')) return {};
  const size_t end = text.find(']');
  if (end == kNotFound) return {};
  const std::string_view range = text.substr(0, end + 1);
  text.remove_prefix(end + 1);
  return range;
}

}  // namespace

bool ParseSymbolLine(std::string_view text, StringPool& strings, SymbolFact& fact) {
  if (ConsumeFront(text, "create_symbol ")) {
    const std::string_view symbol = TakeUntil(text, " = ");
    const std::string_view value = TakeUntil(text, " for ");
    // A duck-sized symbol is another symbol: the line that created it contains its value.
    if (HasText(symbol, " ") || value.empty()) return false;
    const size_t bracket = FindText(text, " [");
    if (bracket == kNotFound) return false;
    fact.kind = SymbolFact::Kind::kCreated;
    fact.symbol = strings.Intern(symbol);
    fact.value = strings.Intern(value);
    fact.source = strings.Intern(text.substr(0, bracket));
    text.remove_prefix(bracket + 1);
    fact.range = strings.Intern(TakeRange(text));
    SetPlace(text, strings, fact);
    return true;
  }
  if (text.starts_with("create_unbacked_sym")) {
    TakeUntil(text, " ");
    fact.kind = SymbolFact::Kind::kCreatedUnbacked;
    fact.symbol = strings.Intern(TakeUntil(text, " "));
    fact.range = strings.Intern(TakeRange(text));
    SetPlace(text, strings, fact);
    return true;
  }
  if (ConsumeFront(text, "eval ")) {
    if (text.starts_with("[guard suppressed]")) return false;
    const size_t end = FindText(text, kGuardAdded);
    if (end == kNotFound) return false;
    fact.kind = SymbolFact::Kind::kGuardAdded;
    fact.expr = strings.Intern(text.substr(0, end));
    SetPlace(text.substr(end + kGuardAdded.size()), strings, fact);
    return true;
  }
  if (ConsumeFront(text, "set_replacement ")) {
    const std::string_view symbol = TakeUntil(text, " = ");
    const std::string_view value = Trim(TakeUntil(text, " ("));
    if (!IsInteger(value) || HasText(symbol, " ")) return false;
    fact.kind = SymbolFact::Kind::kSpecialized;
    fact.symbol = strings.Intern(symbol);
    fact.value = strings.Intern(value);
    fact.expr = strings.Intern(TakeUntil(text, ")"));
    return true;
  }
  return false;
}

bool ProcessGuards::IsHead(std::string_view text) {
  text = TrimLeft(text);
  return text.starts_with(kTreeHead) || text.starts_with(kRoot) || text.starts_with(kLatency);
}

bool ProcessGuards::MayBegin(std::string_view text) {
  return text.starts_with("torchdynamo start ") || text.starts_with("Step 1: torchdynamo start ") ||
         IsHead(text);
}

bool ProcessGuards::IsSymbolLine(std::string_view text) {
  return text.starts_with("create_") || text.starts_with("eval ") ||
         text.starts_with("set_replacement ");
}

/// Reads the first line of a tree, or the line after its last one. `goes_on`: a root belongs to the
/// current tree.
bool ProcessGuards::ReadHead(std::string_view text, std::string_view compile_id,
                             std::string_view head, bool goes_on, const RecordOrigin& origin) {
  if (text.starts_with(kTreeHead) || (text.starts_with(kRoot) && !goes_on)) {
    Open(head, compile_id, origin);
    tree_.emplace();
    tree_->AddLine(text);
    takes_bare_ = true;
    return true;
  }
  if (!ConsumeFront(text, kLatency)) return false;
  Close();
  const std::optional<double> micros = ConsumeDecimal(text);
  if (!micros || latest_ >= prints_.printed.size()) return true;
  PrintedGuards& latest = prints_.printed[latest_];
  if (session_.text(latest.compile_id) == compile_id) latest.guards.latency_us = micros;
  return true;
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
  if (ReadHead(text, prefix.compile_id, head, is_same && tree_, origin)) return true;
  if (prefix.artifact == "guards" && Trim(text) == kListHead && IsOfListingRelease(prefix)) {
    Open(head, prefix.compile_id, origin);
    return true;
  }
  if (is_open_ && !tree_ && prefix.artifact == "guards" &&
      prefix.compile_id == session_.text(open_.compile_id)) {
    if (!text.empty()) {
      ++list_size_;
      AddGuard(text);
      if (texts_ && (keeps_texts_ || IsNeeded(text))) texts_->AddGuard(text);
    }
    return true;
  }
  if (is_same && tree_) {
    // A guard may contain text of many lines, such as a module's.
    AddTreeLine(text);
    return true;
  }
  Close();
  return false;
}

bool ProcessGuards::OnBare(std::string_view text, const RecordOrigin& origin) {
  text = TrimLeft(text);
  if (ReadHead(text, {}, {}, is_open_ && tree_, origin)) return true;
  if (!is_open_ || !tree_ || !takes_bare_) return false;
  if (text.starts_with("+- ") || text.starts_with("| ")) {
    AddTreeLine(text);
    return true;
  }
  Close();
  return false;
}

void ProcessGuards::AddTreeLine(std::string_view text) {
  if (!tree_->AddLine(text)) return;
  if (texts_ && (keeps_texts_ || IsNeeded(text))) texts_->AddTreeLine(text);
  const size_t node = text.find("+- ");
  const size_t colon = text.find(": ", node);
  if (colon == kNotFound) return;
  if (IsLeafKind(text.substr(node + 3, colon - node - 3))) {
    AddGuard(text.substr(colon + 2));
  } else {
    TakeUserPlace(text.substr(colon + 2));
  }
}

void ProcessGuards::AddGuard(std::string_view guard) {
  TakeUserPlace(guard);
  if (prints_.kept_bytes + entry_.bytes + guard.size() > kMaxKeptBytes) return;
  guard = Trim(guard.substr(0, FindText(guard, "  # ")));
  if (guard.empty()) return;
  entry_.guards.emplace_back(guard);
  entry_.bytes += guard.size();
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

PrintedGuards ProcessGuards::NewGuards(std::string_view compile_id, const RecordOrigin& origin) {
  PrintedGuards guards;
  guards.input = origin.input;
  guards.line = origin.line;
  guards.time = origin.time;
  guards.rank = origin.rank;
  guards.compile_id = session_.strings().Intern(compile_id);
  return guards;
}

void ProcessGuards::Open(std::string_view head, std::string_view compile_id,
                         const RecordOrigin& origin) {
  Close();
  is_open_ = true;
  head_ = head;
  open_ = NewGuards(compile_id, origin);
  list_size_ = 0;
  guards_looked_at_ = 0;
  entry_ = EntryGuards{};
  texts_.emplace(session_.strings(), /*only_needed=*/!keeps_texts_);
}

void ProcessGuards::Close() {
  if (!is_open_) return;
  is_open_ = false;
  takes_bare_ = false;
  open_.guards.leaves = list_size_;
  if (tree_) open_.guards = tree_->Tally(session_.strings());
  tree_.reset();
  latest_ = SIZE_MAX;
  if (texts_) open_.guard_texts = texts_->Take();
  texts_.reset();
  if (open_.guards.leaves == 0) return;
  if (symbols_.compile_id == open_.compile_id) {
    open_.symbols = std::exchange(symbols_, {}).symbols;
  }
  if (prints_.printed.size() >= kMaxPrinted) {
    session_.stats().Bump(Stat::guards_too_many, open_.input, open_.line);
    return;
  }
  CompareOpen();
  NameGuards(open_);
  latest_ = prints_.printed.size();
  prints_.printed.push_back(std::move(open_));
}

bool ProcessGuards::OnSymbolLine(std::string_view text, std::string_view compile_id,
                                 const RecordOrigin& origin) {
  SymbolFact fact;
  const bool is_symbol = ParseSymbolLine(text, session_.strings(), fact);
  if (compile_id.empty() || (!is_symbol && text != "create_env")) return false;
  fact.line = origin.line;
  if (session_.text(symbols_.compile_id) != compile_id) {
    CloseSymbols();
    symbols_ = NewGuards(compile_id, origin);
  }
  if (is_symbol && symbols_.symbols.size() < kMaxFactsOfGuards) symbols_.symbols.push_back(fact);
  return true;
}

/// Keeps the symbols of a compilation whose guards were not printed; also none, which says that it
/// has no symbols.
void ProcessGuards::CloseSymbols() {
  PrintedGuards symbols = std::exchange(symbols_, {});
  if (symbols.compile_id == StrId::kNone || prints_.printed.size() >= kMaxPrinted) return;
  NameGuards(symbols);
  prints_.printed.push_back(std::move(symbols));
}

void ProcessGuards::Finish() {
  Close();
  CloseSymbols();
}

/// Records the differences between the guards of open_ and those of the previous entry, and keeps
/// these for the next one.
void ProcessGuards::CompareOpen() {
  const std::string_view id = session_.text(open_.compile_id);
  Frame* const frame = FrameFor(id);
  if (frame == nullptr) return;
  const std::string_view entry = WithoutAttempt(id);
  const uint64_t number = NumberOf(id);
  std::ranges::sort(entry_.guards);
  if (frame->has_guards && number == frame->latest + 1) {
    std::vector<std::string> guards = ChangedGuards(frame->entry, entry_);
    if (!guards.empty()) {
      const std::string before = std::string(FrameOf(entry)) + "/" + std::to_string(number - 1);
      prints_.changes.try_emplace({open_.rank, std::string(entry)},
                                  GuardPrints::Change{before, std::move(guards)});
    }
  }
  prints_.kept_bytes = prints_.kept_bytes - frame->entry.bytes + entry_.bytes;
  frame->entry = std::exchange(entry_, {});
}

/// Sets the function of `guards`, which are printed next, or marks them as waiting for a name.
void ProcessGuards::NameGuards(PrintedGuards& guards) {
  const std::string_view id = session_.text(guards.compile_id);
  Frame* const frame = FrameFor(id);
  if (frame == nullptr) return;
  const uint64_t number = NumberOf(id);
  if (frame->has_guards && number <= frame->latest) {
    // Numbering restarted: earlier output, and maybe the name, belong to another function.
    frame->unnamed.clear();
    if (frame->named_by != number) frame->is_named = false;
  }
  frame->has_guards = true;
  frame->latest = number;
  if (frame->is_named) {
    frame->place.SetFunctionOf(guards);
  } else {
    frame->unnamed.push_back(prints_.printed.size());
  }
}

void ProcessGuards::NoteFunction(std::string_view compile_id, std::string_view function,
                                 const CodePlace& place) {
  Frame* const frame = FrameFor(compile_id);
  if (frame == nullptr || function.empty()) return;
  const uint64_t number = NumberOf(compile_id);
  const StoredPlace named{session_.strings().Intern(function),
                          session_.strings().Intern(place.file), place.line};
  const bool is_other = frame->is_named && frame->place != named;
  if (is_other || (frame->has_guards && number <= frame->latest)) frame->unnamed.clear();
  frame->place = named;
  frame->is_named = true;
  frame->named_by = number;
  for (const size_t index : frame->unnamed) named.SetFunctionOf(prints_.printed[index]);
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
                                                       GuardPrints& prints) const {
  // The texts of a followed run are never used.
  auto copy = std::make_unique<ProcessGuards>(session, prints, /*keeps_texts=*/false);
  copy->open_ = open_;
  copy->symbols_ = symbols_;
  copy->entry_ = entry_;
  copy->tree_ = tree_;
  copy->list_size_ = list_size_;
  copy->is_open_ = is_open_;
  copy->frames_ = frames_;
  return copy;
}

}  // namespace shapewise
