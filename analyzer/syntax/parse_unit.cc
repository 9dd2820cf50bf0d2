#include "shapewise/syntax/parse_unit.h"

#include <tree_sitter/api.h>

#include <algorithm>
#include <cassert>

#include "syntax/node_kinds.h"
#include "syntax/parse_arena.h"
#include "syntax/tree_builder.h"
#include "syntax/unit_text.h"

namespace shapewise {
namespace {

/// Nobody writes a function of this size by hand, and a table of constants is not of interest.
constexpr size_t kMaxUnitBytes = size_t{1} << 24;

}  // namespace

struct UnitParser::State {
  ParseArena arena;
  UnitText unit;
};

UnitParser::UnitParser() : state_(std::make_unique<State>()) {}
UnitParser::~UnitParser() = default;

ParsedUnit UnitParser::Parse(std::string_view text, llvm::ArrayRef<FileSpan> ranges,
                             llvm::BumpPtrAllocator& arena) {
  ParsedUnit parsed;
  if (ranges.empty() || ranges.front().begin == ranges.back().end) return parsed;
  const size_t begin = ranges.front().begin;
  const auto give_up = [&](std::string message) {
    auto* unreadable = new (arena.Allocate<Stmt>()) Stmt();
    unreadable->span.end =
        static_cast<uint32_t>(std::min<size_t>(ranges.back().end - begin, UINT32_MAX));
    auto** body = arena.Allocate<const Stmt*>(1);
    *body = unreadable;
    parsed.body = {body, 1};
    parsed.faults.push_back({unreadable->span, std::move(message)});
  };
  if (ranges.back().end - begin > kMaxUnitBytes) {
    give_up("too long to be read");
    return parsed;
  }

  state_->unit.Build(text, ranges, parsed.faults);
  const std::string& source = state_->unit.text();
  // What tree-sitter makes ends with the scope, all at once. The parser is deleted for the sake of
  // the grammar's own scanner, whose memory is from the heap.
  const ParseArena::Scope scope(state_->arena);
  const std::unique_ptr<TSParser, decltype(&ts_parser_delete)> parser(ts_parser_new(),
                                                                      ts_parser_delete);
  [[maybe_unused]] const bool is_fit = ts_parser_set_language(parser.get(), tree_sitter_python());
  assert(is_fit);
  ts_parser_set_cancellation_flag(parser.get(), state_->arena.is_exhausted());
  TSTree* tree = ts_parser_parse_string(parser.get(), nullptr, source.data(),
                                        static_cast<uint32_t>(source.size()));
  if (tree == nullptr) {
    give_up("too tangled to be read");
    return parsed;
  }
  TreeBuilder builder(tree, state_->unit, text.substr(begin), arena, parsed.faults);
  parsed.body = builder.Build();
  std::ranges::stable_sort(parsed.faults, {},
                           [](const SyntaxFault& fault) { return fault.span.begin; });
  return parsed;
}

}  // namespace shapewise
