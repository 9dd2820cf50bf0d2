#include "syntax/tree_builder.h"

namespace shapewise {
namespace {

/// Levels of blocks in blocks, of which Python allows 100. A chain of `elif` counts as levels, too.
constexpr int kMaxStatementDepth = 400;

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

void TreeBuilder::AddStatement(GrammarKind kind) {
  if (kind == GrammarKind::kError) {
    Unexpected();
    // Statements that were whole before the parser lost its way.
    const size_t before = stmts_.size();
    if (depth_ < kMaxStatementDepth) {
      ++depth_;
      if (cursor_.ToFirstChild()) {
        do {
          const GrammarKind part = Kind();
          if (IsStatement(part) || part == GrammarKind::kBlock) AddStatement(part);
        } while (cursor_.ToNextSibling());
        cursor_.ToParent();
      }
      --depth_;
    }
    if (stmts_.size() == before) stmts_.push_back(New<Stmt>(Span()));
  } else if (kind == GrammarKind::kBlock) {
    const llvm::ArrayRef<const Stmt*> block = Block();
    stmts_.insert(stmts_.end(), block.begin(), block.end());
  } else if (IsStatement(kind)) {
    if (const Stmt* made = Statement(kind)) stmts_.push_back(made);
  }
}

Stmt* TreeBuilder::Statement(GrammarKind kind) {
  Stmt* made = New<Stmt>(Span());
  // What stands where something was taken out of the unit.
  if (kind == GrammarKind::kPass && !Text(made->span).starts_with("pass")) return nullptr;
  if (depth_ >= kMaxStatementDepth) return made;
  ++depth_;
  switch (kind) {
    case GrammarKind::kExpressionStatement:
      ExpressionStatement(*made);
      break;
    case GrammarKind::kReturn:
      Return(*made);
      break;
    case GrammarKind::kIf:
      If(*made);
      break;
    case GrammarKind::kWhile:
      made->kind = StmtKind::kWhile;
      Loop(*made);
      break;
    case GrammarKind::kFor:
      made->kind = StmtKind::kFor;
      Loop(*made);
      break;
    case GrammarKind::kWith:
      With(*made);
      break;
    case GrammarKind::kTry:
      Try(*made);
      break;
    case GrammarKind::kRaise:
      Raise(*made);
      break;
    case GrammarKind::kAssert:
      Assert(*made);
      break;
    case GrammarKind::kDelete:
      Delete(*made);
      break;
    case GrammarKind::kPass:
      made->kind = StmtKind::kPass;
      break;
    case GrammarKind::kBreak:
      made->kind = StmtKind::kBreak;
      break;
    case GrammarKind::kContinue:
      made->kind = StmtKind::kContinue;
      break;
    case GrammarKind::kGlobal:
      made->kind = StmtKind::kGlobal;
      Names(*made);
      break;
    case GrammarKind::kNonlocal:
      made->kind = StmtKind::kNonlocal;
      Names(*made);
      break;
    case GrammarKind::kImport:
    case GrammarKind::kImportFrom:
    case GrammarKind::kImportFuture:
      made->kind = kind == GrammarKind::kImport ? StmtKind::kImport : StmtKind::kImportFrom;
      if (kind == GrammarKind::kImportFuture) made->text = "__future__";
      Import(*made);
      break;
    case GrammarKind::kFunction:
      Function(*made);
      break;
    case GrammarKind::kClass:
      Class(*made);
      break;
    case GrammarKind::kDecorated:
      Decorated(*made);
      break;
    case GrammarKind::kMatch:
      Match(*made);
      break;
    case GrammarKind::kTypeAlias:
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kAssignment) {
      Assignment(made);
    } else if (kind == GrammarKind::kAugmentedAssignment) {
      AugmentedAssignment(made);
    } else if (kind == GrammarKind::kComma) {
      is_tuple = true;
    } else if (IsExpression(kind)) {
      exprs_.push_back(Expression());
    }
  });
  if (is_tuple) {
    Expr* tuple = New<Expr>(made.span);
    tuple->kind = PythonExprKind::kTuple;
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
      const GrammarKind kind = Kind();
      if (kind == GrammarKind::kError) {
        Unexpected();
        continue;
      }
      if (has_errors_ && Node().is_missing) Missing();
      if (kind == GrammarKind::kType) {
        made.kind = StmtKind::kAnnotated;
        made.annotation = Expression();
      } else if (kind == GrammarKind::kAssignment) {
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kAugmentedOperator) made.text = kinds_.OperatorText(Node().symbol);
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
  EachChild([&](GrammarKind kind) {
    if (IsExpression(kind)) made.value = Expression();
  });
}

void TreeBuilder::Raise(Stmt& made) {
  made.kind = StmtKind::kRaise;
  bool is_cause = false;
  EachChild([&](GrammarKind kind) {
    is_cause |= kind == GrammarKind::kFrom;
    if (IsExpression(kind)) (is_cause ? made.cause : made.value) = Expression();
  });
}

void TreeBuilder::Assert(Stmt& made) {
  made.kind = StmtKind::kAssert;
  EachChild([&](GrammarKind kind) {
    if (IsExpression(kind)) (made.value == nullptr ? made.value : made.message) = Expression();
  });
  if (made.value == nullptr) made.value = Unreadable(made.span);
}

void TreeBuilder::Delete(Stmt& made) {
  made.kind = StmtKind::kDelete;
  const size_t from = exprs_.size();
  const auto add = [&](GrammarKind kind) {
    if (IsExpression(kind)) exprs_.push_back(Expression());
  };
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kExpressionList) {
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
  bool is_cut = false;  // some are too deep
  const auto part = [&](GrammarKind kind) {
    if (kind == GrammarKind::kBlock) {
      current->body = Block();
    } else if (IsExpression(kind)) {
      current->value = Expression();
    }
  };
  const auto finish = [&] {
    if (current->value == nullptr) current->value = Unreadable(current->span);
  };
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kElif) {
      if (depth_ + ++levels >= kMaxStatementDepth) {
        is_cut = true;
        return;
      }
      finish();
      Stmt* next = New<Stmt>({Span().begin, made.span.end});
      next->kind = StmtKind::kIf;
      const size_t from = stmts_.size();
      stmts_.push_back(next);
      current->orelse = Take(stmts_, from);
      current = next;
      EachChild(part);
    } else if (kind == GrammarKind::kElse) {
      EachChild([&](GrammarKind inner) {
        if (inner == GrammarKind::kBlock) current->orelse = Block();
      });
    } else {
      part(kind);
    }
  });
  finish();
  if (!is_cut) return;
  Stmt* rest = New<Stmt>({current->span.end, made.span.end});
  rest->kind = StmtKind::kUnreadable;
  const size_t from = stmts_.size();
  stmts_.push_back(rest);
  current->orelse = Take(stmts_, from);
}

void TreeBuilder::Loop(Stmt& made) {
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kAsync) {
      made.is_async = true;
    } else if (kind == GrammarKind::kBlock) {
      made.body = Block();
    } else if (kind == GrammarKind::kElse) {
      EachChild([&](GrammarKind inner) {
        if (inner == GrammarKind::kBlock) made.orelse = Block();
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kAsync) {
      made.is_async = true;
    } else if (kind == GrammarKind::kBlock) {
      made.body = Block();
    } else if (kind == GrammarKind::kWithClause) {
      EachChild([&](GrammarKind item) {
        if (item != GrammarKind::kWithItem) return;
        EachChild([&](GrammarKind value) { AddWithItems(value); });
      });
    }
  });
  made.with_items = Take(with_items_, from);
}

void TreeBuilder::AddWithItems(GrammarKind kind) {
  if (!IsExpression(kind)) return;
  if (kind == GrammarKind::kTuple) {  // `with (a as b, c as d):`
    EachChild([&](GrammarKind item) { AddWithItems(item); });
    return;
  }
  if (kind == GrammarKind::kParenthesized) {
    bool is_aliased = false;
    EachChild([&](GrammarKind item) { is_aliased |= item == GrammarKind::kAsPattern; });
    if (is_aliased) {
      EachChild([&](GrammarKind item) { AddWithItems(item); });
      return;
    }
  }
  WithItem item;
  if (kind == GrammarKind::kAsPattern) {
    EachChild([&](GrammarKind part) {
      if (part == GrammarKind::kAsPatternTarget) {
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kBlock) {
      made.body = Block();
    } else if (kind == GrammarKind::kExcept || kind == GrammarKind::kExceptGroup) {
      branches_.push_back(Except());
    } else if (kind == GrammarKind::kElse || kind == GrammarKind::kFinally) {
      EachChild([&](GrammarKind inner) {
        if (inner != GrammarKind::kBlock) return;
        (kind == GrammarKind::kElse ? made.orelse : made.finally) = Block();
      });
    }
  });
  made.handlers = Take(branches_, from);
}

Branch TreeBuilder::Except() {
  Branch made;
  made.span = Span();
  const auto part = [&](GrammarKind kind) {
    if (kind == GrammarKind::kBlock) {
      made.body = Block();
    } else if (kind == GrammarKind::kAsPatternTarget) {
      made.name = Text();
    } else if (!IsExpression(kind)) {
      return;
    } else if (made.test == nullptr) {
      made.test = Expression();
    } else {
      made.name = Text();
    }
  };
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kAsPattern) {
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kComma) {
      is_tuple = true;
      end = Span().end;
    } else if (IsExpression(kind)) {
      exprs_.push_back(Expression());
      end = exprs_.back()->span.end;
    } else if (kind == GrammarKind::kBlock) {
      EachChild([&](GrammarKind inner) {
        if (inner == GrammarKind::kCase) branches_.push_back(Case());
      });
    }
  });
  made.handlers = Take(branches_, from_branches);
  if (exprs_.size() == from) exprs_.push_back(Unreadable(made.span));
  if (is_tuple) {
    Expr* tuple = New<Expr>({exprs_[from]->span.begin, end});
    tuple->kind = PythonExprKind::kTuple;
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
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kIfClause) {
      made.test = Inner();
    } else if (kind == GrammarKind::kBlock) {
      made.body = Block();
    }
  });
  return made;
}

void TreeBuilder::Names(Stmt& made) {
  const size_t from = names_.size();
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kIdentifier) names_.push_back(Text());
  });
  made.names = Take(names_, from);
}

void TreeBuilder::Import(Stmt& made) {
  const size_t from = imports_.size();
  bool is_module = made.kind == StmtKind::kImportFrom && made.text.empty();
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kRelativeImport) {
      EachChild([&](GrammarKind part) {
        if (part == GrammarKind::kDottedName) made.text = Text();
        if (part != GrammarKind::kImportPrefix) return;
        for (const char c : Text()) made.dots = static_cast<uint8_t>(made.dots + (c == '.'));
      });
      is_module = false;
    } else if (kind == GrammarKind::kImportToken) {
      is_module = false;
    } else if (kind == GrammarKind::kDottedName) {
      if (is_module) {
        made.text = Text();
      } else {
        imports_.push_back({Text(), {}});
      }
    } else if (kind == GrammarKind::kWildcardImport) {
      imports_.push_back({"*", {}});
    } else if (kind == GrammarKind::kAliasedImport) {
      ImportedName imported;
      EachChild([&](GrammarKind part) {
        if (part == GrammarKind::kDottedName) imported.name = Text();
        if (part == GrammarKind::kIdentifier) imported.as = Text();
      });
      imports_.push_back(imported);
    }
  });
  made.imports = Take(imports_, from);
}

void TreeBuilder::Function(Stmt& made) {
  made.kind = StmtKind::kFunction;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kAsync) {
      made.is_async = true;
    } else if (kind == GrammarKind::kIdentifier) {
      made.text = Text();
    } else if (kind == GrammarKind::kParameters) {
      made.parameters = Parameters();
    } else if (kind == GrammarKind::kType) {
      made.returns = Expression();
    } else if (kind == GrammarKind::kBlock) {
      made.body = Block();
    }
  });
}

void TreeBuilder::Class(Stmt& made) {
  made.kind = StmtKind::kClass;
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kIdentifier) {
      made.text = Text();
    } else if (kind == GrammarKind::kArgumentList) {
      made.arguments = Arguments();
    } else if (kind == GrammarKind::kBlock) {
      made.body = Block();
    }
  });
}

void TreeBuilder::Decorated(Stmt& made) {
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (kind == GrammarKind::kDecorator) {
      exprs_.push_back(Inner());
    } else if (kind == GrammarKind::kFunction) {
      Function(made);
    } else if (kind == GrammarKind::kClass) {
      Class(made);
    }
  });
  made.decorators = Take(exprs_, from);
}

void TreeBuilder::TypeAlias(Stmt& made) {
  made.kind = StmtKind::kAssign;
  const size_t from = exprs_.size();
  EachChild([&](GrammarKind kind) {
    if (!IsExpression(kind)) return;
    const Expr* part = Expression();
    if (exprs_.size() > from) {
      made.value = part;
    } else {
      // `type Pair[T] = ...` makes the name.
      const bool has_parameters = part->kind == PythonExprKind::kSubscript;
      exprs_.push_back(has_parameters ? part->left : part);
    }
  });
  if (exprs_.size() == from) exprs_.push_back(Unreadable(made.span));
  made.targets = Take(exprs_, from);
  if (made.value == nullptr) made.value = Unreadable(made.span);
}

}  // namespace shapewise
