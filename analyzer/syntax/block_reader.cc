#include "syntax/block_reader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "syntax/arena_list.h"

namespace shapewise {
namespace {

/// Levels of blocks; of more the builder of whole trees knows what to do.
constexpr uint32_t kMaxBlockDepth = 100;

constexpr std::string_view kCompounds[] = {"if",  "for",   "while", "with",
                                           "try", "async", "def",   "class"};
constexpr std::string_view kClauses[] = {"elif", "else", "except", "finally", "case"};

/// The name or keyword that `content` begins with.
std::string_view FirstWord(std::string_view content) {
  size_t end = 0;
  while (end < content.size() && IsPythonNameChar(content[end])) ++end;
  return content.substr(0, end);
}

}  // namespace

bool BlockReader::IsAtClause(uint32_t level, std::string_view word) const {
  return IsAt(level) && FirstWord(Content()) == word;
}

std::optional<llvm::ArrayRef<const Stmt*>> BlockReader::Read() {
  llvm::ArrayRef<const Stmt*> block;
  if (unit_.lines().empty()) return block;
  if (!ReadBlock(block) || at_ < unit_.lines().size()) return std::nullopt;
  return block;
}

bool BlockReader::ReadBlock(llvm::ArrayRef<const Stmt*>& block) {
  const uint32_t level = line().level;
  if (++depth_ > kMaxBlockDepth) return false;
  const size_t from = stmts_.size();
  while (IsAt(level)) {
    // A clause ends the block that it stands behind, or belongs to nothing.
    if (!ReadStatement(level)) return false;
  }
  --depth_;
  block = TakeOff(stmts_, from, arena_);
  return at_ == unit_.lines().size() || line().level < level;
}

bool BlockReader::ReadBody(uint32_t level, llvm::ArrayRef<const Stmt*>& body) {
  return at_ < unit_.lines().size() && line().level > level && ReadBlock(body);
}

bool BlockReader::ReadStatement(uint32_t level) {
  if (Content().front() == '@') return ReadDefinition(level);
  if (!line().opens_block) return ReadLine();
  return llvm::is_contained(kCompounds, FirstWord(Content())) && ReadCompound(level);
}

const SyntaxTree* BlockReader::Parse(std::string_view before, uint32_t begin, size_t size,
                                     std::string_view behind) {
  text_.assign(before);
  text_.append(unit_.text(), begin, size);
  text_.append(behind);
  const SyntaxTree* tree = shapes_.Find(text_);
  if (tree == nullptr || tree->has_errors) return nullptr;
  builder_.Enter(*tree, begin - static_cast<uint32_t>(before.size()));
  return tree;
}

bool BlockReader::ReadLine() {
  if (llvm::is_contained(kClauses, FirstWord(Content()))) return false;
  const uint32_t begin = line().begin;
  const SyntaxTree* tree = Parse({}, begin, line().end - begin, "\n");
  if (tree == nullptr) return false;
  for (uint32_t i = 1; i < tree->nodes.size(); i = tree->nodes[i].after) {
    last_ = begin + tree->nodes[i].end;
  }
  llvm::append_range(stmts_, builder_.Build());
  ++at_;
  // `if x: y` may go on with a clause.
  return at_ == unit_.lines().size() || !llvm::is_contained(kClauses, FirstWord(Content())) ||
         line().level < unit_.lines()[at_ - 1].level;
}

Stmt* BlockReader::ReadHead() {
  const uint32_t begin = line().begin;
  if (Parse({}, begin, line().end - begin, " pass\n") == nullptr) return nullptr;
  Stmt* made = builder_.BuildOne();
  ++at_;
  return made;
}

void BlockReader::EndAtLast(ByteSpan& span, uint32_t begin) const {
  span.end = unit_.Original(begin, last_).end;
}

bool BlockReader::ReadDefinition(uint32_t level) {
  const uint32_t begin = line().begin;
  const size_t from = decorators_.size();
  while (IsAt(level) && Content().front() == '@') {
    const uint32_t at = line().begin;
    if (Parse({}, at, line().end - at, "\ndef x(): pass\n") == nullptr) return false;
    const Stmt* decorated = builder_.BuildOne();
    if (decorated == nullptr || decorated->decorators.size() != 1) return false;
    decorators_.push_back(decorated->decorators.front());
    ++at_;
  }
  if (!IsAt(level) || !line().opens_block) return false;
  const std::string_view word = FirstWord(Content());
  if (word != "def" && word != "class" && word != "async") return false;
  if (!ReadCompound(level)) return false;
  auto* made = const_cast<Stmt*>(stmts_.back());  // ReadCompound made it
  if (made->kind != StmtKind::kFunction && made->kind != StmtKind::kClass) return false;
  made->decorators = TakeOff(decorators_, from, arena_);
  made->span.begin = unit_.Original(begin, begin).begin;
  return true;
}

bool BlockReader::ReadCompound(uint32_t level) {
  const uint32_t begin = line().begin;
  Stmt* made = nullptr;
  if (Content() == "try:") {
    made = new (arena_.Allocate<Stmt>()) Stmt();
    made->kind = StmtKind::kTry;
    made->span.begin = unit_.Original(begin, begin).begin;
    ++at_;
  } else {
    made = ReadHead();
  }
  if (made == nullptr || !ReadBody(level, made->body)) return false;
  switch (made->kind) {
    case StmtKind::kIf:
      if (!ReadElifs(level, *made)) return false;
      break;
    case StmtKind::kFor:
    case StmtKind::kWhile:
      if (!ReadElse(level, *made)) return false;
      break;
    case StmtKind::kTry:
      if (!ReadHandlers(level, *made)) return false;
      break;
    case StmtKind::kWith:
    case StmtKind::kFunction:
    case StmtKind::kClass:
      break;
    default:
      return false;
  }
  EndAtLast(made->span, begin);
  stmts_.push_back(made);
  return !IsAt(level) || !llvm::is_contained(kClauses, FirstWord(Content()));
}

bool BlockReader::ReadElse(uint32_t level, Stmt& made) {
  if (!IsAt(level) || Content() != "else:") return true;
  ++at_;
  return ReadBody(level, made.orelse);
}

bool BlockReader::ReadElifs(uint32_t level, Stmt& made) {
  llvm::SmallVector<std::pair<Stmt*, uint32_t>, 4> parts;
  Stmt* current = &made;
  uint32_t num_elifs = 0;
  while (IsAtClause(level, "elif")) {
    // Each is a level of the tree, which a recursion goes down later.
    if (++num_elifs > kMaxBlockDepth) return false;
    if (!line().opens_block) return false;
    // An `elif` without its first letters is an `if`.
    const uint32_t begin = line().begin;
    if (Parse({}, begin + 2, line().end - begin - 2, " pass\n") == nullptr) return false;
    Stmt* next = builder_.BuildOne();
    ++at_;
    if (next == nullptr || next->kind != StmtKind::kIf) return false;
    next->span.begin = unit_.Original(begin, begin).begin;
    parts.emplace_back(next, begin);
    auto** orelse = arena_.Allocate<const Stmt*>(1);
    *orelse = next;
    current->orelse = {orelse, 1};
    current = next;
    if (!ReadBody(level, next->body)) return false;
  }
  if (!ReadElse(level, *current)) return false;
  for (auto& [part, begin] : parts) EndAtLast(part->span, begin);
  return true;
}

bool BlockReader::ReadHandlers(uint32_t level, Stmt& made) {
  const size_t from = branches_.size();
  constexpr std::string_view kBefore = "try: pass\n";
  while (IsAtClause(level, "except")) {
    if (!line().opens_block) return false;
    const uint32_t begin = line().begin;
    if (Parse(kBefore, begin, line().end - begin, " pass\n") == nullptr) return false;
    std::optional<Branch> handler = builder_.BuildHandler();
    ++at_;
    if (!handler || !ReadBody(level, handler->body)) return false;
    EndAtLast(handler->span, begin);
    branches_.push_back(*handler);
  }
  const bool has_handlers = branches_.size() > from;
  made.handlers = TakeOff(branches_, from, arena_);
  if (has_handlers && !ReadElse(level, made)) return false;
  if (IsAt(level) && Content() == "finally:") {
    ++at_;
    return ReadBody(level, made.finally);
  }
  return has_handlers;
}

}  // namespace shapewise
