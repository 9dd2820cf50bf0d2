#include "syntax/tree_builder.h"

namespace shapewise {
namespace {

/// Levels of blocks in blocks, of which Python allows 100. A chain of `elif` counts as levels, too.
constexpr int kMaxDepth = 400;

}  // namespace

llvm::ArrayRef<const Stmt*> TreeBuilder::Block() {
  const size_t from = stmts_.size();
  if (!cursor_.ToFirstChild()) return {};
  do {
    AddStatement(Kind());
  } while (cursor_.ToNextSibling());
  cursor_.ToParent();
  return Take(stmts_, from);
}

void TreeBuilder::AddStatement(NodeKind kind) {
  if (kind == NodeKind::kError) {
    Unexpected();
    // Statements that were whole before the parser lost its way.
    const size_t before = stmts_.size();
    if (depth_ < kMaxDepth) {
      ++depth_;
      if (cursor_.ToFirstChild()) {
        do {
          const NodeKind part = Kind();
          if (IsStatement(part) || part == NodeKind::kBlock) AddStatement(part);
        } while (cursor_.ToNextSibling());
        cursor_.ToParent();
      }
      --depth_;
    }
    if (stmts_.size() == before) stmts_.push_back(New<Stmt>(Span()));
  } else if (kind == NodeKind::kBlock) {
    const llvm::ArrayRef<const Stmt*> block = Block();
    stmts_.insert(stmts_.end(), block.begin(), block.end());
  } else if (IsStatement(kind)) {
    if (const Stmt* made = Statement(kind)) stmts_.push_back(made);
  }
}

Stmt* TreeBuilder::Statement(NodeKind kind) {
  Stmt* made = New<Stmt>(Span());
  // What stands where something was taken out of the unit.
  if (kind == NodeKind::kPass && !Text(made->span).starts_with("pass")) return nullptr;
  if (depth_ >= kMaxDepth) return made;
  ++depth_;
  switch (kind) {
    case NodeKind::kExpressionStatement:
      ExpressionStatement(*made);
      break;
    case NodeKind::kReturn:
      Return(*made);
      break;
    case NodeKind::kIf:
      If(*made);
      break;
    case NodeKind::kWhile:
      made->kind = StmtKind::kWhile;
      Loop(*made);
      break;
    case NodeKind::kFor:
      made->kind = StmtKind::kFor;
      Loop(*made);
      break;
    case NodeKind::kWith:
      With(*made);
      break;
    case NodeKind::kTry:
      Try(*made);
      break;
    case NodeKind::kRaise:
      Raise(*made);
      break;
    case NodeKind::kAssert:
      Assert(*made);
      break;
    case NodeKind::kDelete:
      Delete(*made);
      break;
    case NodeKind::kPass:
      made->kind = StmtKind::kPass;
      break;
    case NodeKind::kBreak:
      made->kind = StmtKind::kBreak;
      break;
    case NodeKind::kContinue:
      made->kind = StmtKind::kContinue;
      break;
    case NodeKind::kGlobal:
      made->kind = StmtKind::kGlobal;
      Names(*made);
      break;
    case NodeKind::kNonlocal:
      made->kind = StmtKind::kNonlocal;
      Names(*made);
      break;
    case NodeKind::kImport:
    case NodeKind::kImportFrom:
    case NodeKind::kImportFuture:
      made->kind = kind == NodeKind::kImport ? StmtKind::kImport : StmtKind::kImportFrom;
      if (kind == NodeKind::kImportFuture) made->text = "__future__";
      Import(*made);
      break;
    case NodeKind::kFunction:
      Function(*made);
      break;
    case NodeKind::kClass:
      Class(*made);
      break;
    case NodeKind::kDecorated:
      Decorated(*made);
      break;
    case NodeKind::kMatch:
      Match(*made);
      break;
    case NodeKind::kTypeAlias:
      TypeAlias(*made);
      break;
    default:
      break;
  }
  --depth_;
  return made;
}

void TreeBuilder::ExpressionStatement(Stmt& made) {
  made.kind = StmtKind::kExpression;
  const size_t from = exprs_.size();
  bool is_tuple = false;
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kAssignment) {
      Assignment(made);
    } else if (kind == NodeKind::kAugmentedAssignment) {
      AugmentedAssignment(made);
    } else if (kind == NodeKind::kComma) {
      is_tuple = true;
    } else if (IsExpression(kind)) {
      exprs_.push_back(Expression());
    }
  });
  if (is_tuple) {
    Expr* tuple = New<Expr>(made.span);
    tuple->kind = ExprKind::kTuple;
    tuple->items = Take(exprs_, from);
    made.value = tuple;
  } else if (exprs_.size() > from) {
    made.value = exprs_.back();
    exprs_.resize(from);
  }
  if (made.value == nullptr && made.kind == StmtKind::kExpression) {
    made.value = Unreadable(made.span);
  }
}

void TreeBuilder::Assignment(Stmt& made) {
  // `a = b = c` is an assignment whose right side is one.
  made.kind = StmtKind::kAssign;
  const size_t from = exprs_.size();
  int levels = 0;
  bool is_chained = true;
  while (is_chained) {
    is_chained = false;
    if (!cursor_.ToFirstChild()) break;
    ++levels;
    bool is_target = true;
    do {
      const NodeKind kind = Kind();
      if (kind == NodeKind::kError) {
        Unexpected();
        continue;
      }
      if (has_errors_ && Node().is_missing) Missing();
      if (kind == NodeKind::kType) {
        made.kind = StmtKind::kAnnotated;
        made.annotation = Expression();
      } else if (kind == NodeKind::kAssignment) {
        is_chained = true;
        break;
      } else if (IsExpression(kind)) {
        if (is_target) {
          exprs_.push_back(Expression());
          is_target = false;
        } else {
          made.value = Expression();
        }
      }
    } while (cursor_.ToNextSibling());
  }
  while (levels-- > 0) cursor_.ToParent();
  if (exprs_.size() == from) exprs_.push_back(Unreadable(made.span));
  made.targets = Take(exprs_, from);
  if (made.value == nullptr && made.kind == StmtKind::kAssign) made.value = Unreadable(made.span);
}

void TreeBuilder::AugmentedAssignment(Stmt& made) {
  made.kind = StmtKind::kAugmented;
  const size_t from = exprs_.size();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kAugmentedOperator) made.text = kinds_.OperatorText(Node().symbol);
    if (!IsExpression(kind)) return;
    if (exprs_.size() == from) {
      exprs_.push_back(Expression());
    } else {
      made.value = Expression();
    }
  });
  if (exprs_.size() == from) exprs_.push_back(Unreadable(made.span));
  made.targets = Take(exprs_, from);
  if (made.value == nullptr) made.value = Unreadable(made.span);
}

void TreeBuilder::Return(Stmt& made) {
  made.kind = StmtKind::kReturn;
  EachChild([&](NodeKind kind) {
    if (IsExpression(kind)) made.value = Expression();
  });
}

void TreeBuilder::Raise(Stmt& made) {
  made.kind = StmtKind::kRaise;
  bool is_cause = false;
  EachChild([&](NodeKind kind) {
    is_cause |= kind == NodeKind::kFrom;
    if (IsExpression(kind)) (is_cause ? made.cause : made.value) = Expression();
  });
}

void TreeBuilder::Assert(Stmt& made) {
  made.kind = StmtKind::kAssert;
  EachChild([&](NodeKind kind) {
    if (IsExpression(kind)) (made.value == nullptr ? made.value : made.message) = Expression();
  });
  if (made.value == nullptr) made.value = Unreadable(made.span);
}

void TreeBuilder::Delete(Stmt& made) {
  made.kind = StmtKind::kDelete;
  const size_t from = exprs_.size();
  const auto add = [&](NodeKind kind) {
    if (IsExpression(kind)) exprs_.push_back(Expression());
  };
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kExpressionList) {
      EachChild(add);
    } else {
      add(kind);
    }
  });
  made.targets = Take(exprs_, from);
}

void TreeBuilder::If(Stmt& made) {
  // Each elif is an `if` in the orelse of the one before.
  made.kind = StmtKind::kIf;
  Stmt* current = &made;
  int levels = 0;
  const auto part = [&](NodeKind kind) {
    if (kind == NodeKind::kBlock) {
      current->body = Block();
    } else if (IsExpression(kind)) {
      current->value = Expression();
    }
  };
  const auto finish = [&] {
    if (current->value == nullptr) current->value = Unreadable(current->span);
  };
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kElif) {
      if (depth_ + ++levels >= kMaxDepth) return;
      finish();
      Stmt* next = New<Stmt>({Span().begin, made.span.end});
      next->kind = StmtKind::kIf;
      const size_t from = stmts_.size();
      stmts_.push_back(next);
      current->orelse = Take(stmts_, from);
      current = next;
      EachChild(part);
    } else if (kind == NodeKind::kElse) {
      EachChild([&](NodeKind inner) {
        if (inner == NodeKind::kBlock) current->orelse = Block();
      });
    } else {
      part(kind);
    }
  });
  finish();
}

void TreeBuilder::Loop(Stmt& made) {
  const size_t from = exprs_.size();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kAsync) {
      made.is_async = true;
    } else if (kind == NodeKind::kBlock) {
      made.body = Block();
    } else if (kind == NodeKind::kElse) {
      EachChild([&](NodeKind inner) {
        if (inner == NodeKind::kBlock) made.orelse = Block();
      });
    } else if (IsExpression(kind)) {
      if (made.kind == StmtKind::kFor && exprs_.size() == from) {
        exprs_.push_back(Expression());
      } else {
        made.value = Expression();
      }
    }
  });
  if (made.kind == StmtKind::kFor && exprs_.size() == from) {
    exprs_.push_back(Unreadable(made.span));
  }
  made.targets = Take(exprs_, from);
  if (made.value == nullptr) made.value = Unreadable(made.span);
}

void TreeBuilder::With(Stmt& made) {
  made.kind = StmtKind::kWith;
  const size_t from = with_items_.size();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kAsync) {
      made.is_async = true;
    } else if (kind == NodeKind::kBlock) {
      made.body = Block();
    } else if (kind == NodeKind::kWithClause) {
      EachChild([&](NodeKind item) {
        if (item != NodeKind::kWithItem) return;
        EachChild([&](NodeKind value) { AddWithItems(value); });
      });
    }
  });
  made.with_items = Take(with_items_, from);
}

void TreeBuilder::AddWithItems(NodeKind kind) {
  if (!IsExpression(kind)) return;
  if (kind == NodeKind::kTuple) {  // `with (a as b, c as d):`
    EachChild([&](NodeKind item) { AddWithItems(item); });
    return;
  }
  if (kind == NodeKind::kParenthesized) {
    bool is_aliased = false;
    EachChild([&](NodeKind item) { is_aliased |= item == NodeKind::kAsPattern; });
    if (is_aliased) {
      EachChild([&](NodeKind item) { AddWithItems(item); });
      return;
    }
  }
  WithItem item;
  if (kind == NodeKind::kAsPattern) {
    EachChild([&](NodeKind part) {
      if (part == NodeKind::kAsPatternTarget) {
        item.target = Inner();
      } else if (IsExpression(part)) {
        item.context = Expression();
      }
    });
  } else {
    item.context = Expression();
  }
  if (item.context == nullptr) item.context = Unreadable(Span());
  with_items_.push_back(item);
}

void TreeBuilder::Try(Stmt& made) {
  made.kind = StmtKind::kTry;
  const size_t from = branches_.size();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kBlock) {
      made.body = Block();
    } else if (kind == NodeKind::kExcept || kind == NodeKind::kExceptGroup) {
      branches_.push_back(Except());
    } else if (kind == NodeKind::kElse || kind == NodeKind::kFinally) {
      EachChild([&](NodeKind inner) {
        if (inner != NodeKind::kBlock) return;
        (kind == NodeKind::kElse ? made.orelse : made.finally) = Block();
      });
    }
  });
  made.handlers = Take(branches_, from);
}

Branch TreeBuilder::Except() {
  Branch made;
  made.span = Span();
  const auto part = [&](NodeKind kind) {
    if (kind == NodeKind::kBlock) {
      made.body = Block();
    } else if (kind == NodeKind::kAsPatternTarget) {
      made.name = Text();
    } else if (!IsExpression(kind)) {
      return;
    } else if (made.test == nullptr) {
      made.test = Expression();
    } else {
      made.name = Text();
    }
  };
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kAsPattern) {
      EachChild(part);
    } else {
      part(kind);
    }
  });
  return made;
}

void TreeBuilder::Match(Stmt& made) {
  made.kind = StmtKind::kMatch;
  const size_t from = exprs_.size();
  const size_t from_branches = branches_.size();
  bool is_tuple = false;
  uint32_t end = 0;
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kComma) {
      is_tuple = true;
      end = Span().end;
    } else if (IsExpression(kind)) {
      exprs_.push_back(Expression());
      end = exprs_.back()->span.end;
    } else if (kind == NodeKind::kBlock) {
      EachChild([&](NodeKind inner) {
        if (inner == NodeKind::kCase) branches_.push_back(Case());
      });
    }
  });
  made.handlers = Take(branches_, from_branches);
  if (exprs_.size() == from) exprs_.push_back(Unreadable(made.span));
  if (is_tuple) {
    Expr* tuple = New<Expr>({exprs_[from]->span.begin, end});
    tuple->kind = ExprKind::kTuple;
    tuple->items = Take(exprs_, from);
    made.value = tuple;
  } else {
    made.value = exprs_[from];
    exprs_.resize(from);
  }
}

Branch TreeBuilder::Case() {
  Branch made;
  made.span = Span();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kIfClause) {
      made.test = Inner();
    } else if (kind == NodeKind::kBlock) {
      made.body = Block();
    }
  });
  return made;
}

void TreeBuilder::Names(Stmt& made) {
  const size_t from = names_.size();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kIdentifier) names_.push_back(Text());
  });
  made.names = Take(names_, from);
}

void TreeBuilder::Import(Stmt& made) {
  const size_t from = imports_.size();
  bool is_module = made.kind == StmtKind::kImportFrom && made.text.empty();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kRelativeImport) {
      EachChild([&](NodeKind part) {
        if (part == NodeKind::kDottedName) made.text = Text();
        if (part != NodeKind::kImportPrefix) return;
        for (const char c : Text()) made.dots = static_cast<uint8_t>(made.dots + (c == '.'));
      });
      is_module = false;
    } else if (kind == NodeKind::kImportToken) {
      is_module = false;
    } else if (kind == NodeKind::kDottedName) {
      if (is_module) {
        made.text = Text();
      } else {
        imports_.push_back({Text(), {}});
      }
    } else if (kind == NodeKind::kWildcardImport) {
      imports_.push_back({"*", {}});
    } else if (kind == NodeKind::kAliasedImport) {
      ImportedName imported;
      EachChild([&](NodeKind part) {
        if (part == NodeKind::kDottedName) imported.name = Text();
        if (part == NodeKind::kIdentifier) imported.as = Text();
      });
      imports_.push_back(imported);
    }
  });
  made.imports = Take(imports_, from);
}

void TreeBuilder::Function(Stmt& made) {
  made.kind = StmtKind::kFunction;
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kAsync) {
      made.is_async = true;
    } else if (kind == NodeKind::kIdentifier) {
      made.text = Text();
    } else if (kind == NodeKind::kParameters) {
      made.parameters = Parameters();
    } else if (kind == NodeKind::kType) {
      made.returns = Expression();
    } else if (kind == NodeKind::kBlock) {
      made.body = Block();
    }
  });
}

void TreeBuilder::Class(Stmt& made) {
  made.kind = StmtKind::kClass;
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kIdentifier) {
      made.text = Text();
    } else if (kind == NodeKind::kArgumentList) {
      made.arguments = Arguments();
    } else if (kind == NodeKind::kBlock) {
      made.body = Block();
    }
  });
}

void TreeBuilder::Decorated(Stmt& made) {
  const size_t from = exprs_.size();
  EachChild([&](NodeKind kind) {
    if (kind == NodeKind::kDecorator) {
      exprs_.push_back(Inner());
    } else if (kind == NodeKind::kFunction) {
      Function(made);
    } else if (kind == NodeKind::kClass) {
      Class(made);
    }
  });
  made.decorators = Take(exprs_, from);
}

void TreeBuilder::TypeAlias(Stmt& made) {
  made.kind = StmtKind::kAssign;
  const size_t from = exprs_.size();
  EachChild([&](NodeKind kind) {
    if (!IsExpression(kind)) return;
    const Expr* part = Expression();
    if (exprs_.size() > from) {
      made.value = part;
    } else {
      // `type Pair[T] = ...` makes the name.
      const bool has_parameters = part->kind == ExprKind::kSubscript;
      exprs_.push_back(has_parameters ? part->left : part);
    }
  });
  if (exprs_.size() == from) exprs_.push_back(Unreadable(made.span));
  made.targets = Take(exprs_, from);
  if (made.value == nullptr) made.value = Unreadable(made.span);
}

}  // namespace shapewise
