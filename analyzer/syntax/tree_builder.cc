#include "syntax/tree_builder.h"

#include <algorithm>
#include <utility>

namespace shapewise {
namespace {

/// Who has so many has no Python.
constexpr size_t kMaxTreeFaults = 100;
/// Of what is quoted in a message.
constexpr size_t kMaxQuoted = 24;

}  // namespace

TreeBuilder::TreeBuilder(const UnitText& unit, std::string_view original,
                         llvm::BumpPtrAllocator& arena, std::vector<SyntaxFault>& faults)
    : kinds_(NodeKinds::Get()), unit_(unit), original_(original), arena_(arena), faults_(faults) {}

void TreeBuilder::Enter(const SyntaxTree& tree, uint32_t begin) {
  cursor_.Enter(tree);
  begin_ = begin;
  has_errors_ = tree.has_errors;
}

llvm::ArrayRef<const Stmt*> TreeBuilder::Build() { return Block(); }

Stmt* TreeBuilder::BuildOne() {
  if (!cursor_.ToFirstChild() || !IsStatement(Kind())) return nullptr;
  Stmt* made = Statement(Kind());
  return cursor_.ToNextSibling() ? nullptr : made;
}

std::optional<Branch> TreeBuilder::BuildHandler() {
  if (!cursor_.ToFirstChild() || Kind() != GrammarKind::kTry || !cursor_.ToFirstChild()) {
    return std::nullopt;
  }
  do {
    if (Kind() == GrammarKind::kExcept || Kind() == GrammarKind::kExceptGroup) return Except();
  } while (cursor_.ToNextSibling());
  return std::nullopt;
}

void TreeBuilder::AddFault(ByteSpan span, std::string message) {
  if (faults_.size() < kMaxTreeFaults) faults_.push_back({span, std::move(message)});
}

void TreeBuilder::Unexpected() {
  const ByteSpan span = Span();
  // The node may hold tokens that were fine; the last of its children is what stopped the parser.
  std::string_view text = Text(span);
  text = text.substr(0, text.find_first_of("\r\n"));
  size_t quoted = std::min(text.size(), kMaxQuoted);
  while (quoted < text.size() && quoted > 0 &&
         (static_cast<unsigned char>(text[quoted]) & 0xC0) == 0x80) {
    --quoted;
  }
  AddFault(span, text.empty() ? "invalid syntax"
                              : "invalid syntax at '" + std::string(text.substr(0, quoted)) + "'");
}

void TreeBuilder::Missing() {
  const std::string_view name = ts_language_symbol_name(tree_sitter_python(), Node().symbol);
  AddFault(Span(), name == "identifier" ? "missing name" : "missing '" + std::string(name) + "'");
}

}  // namespace shapewise
