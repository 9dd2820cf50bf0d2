#include "support/python_tree_text.h"

#include <string_view>

namespace shapewise {
namespace {

constexpr std::string_view kCompareNames[] = {"==", "!=", "<",      "<=", ">",
                                              ">=", "in", "not-in", "is", "is-not"};

class Printer {
 public:
  explicit Printer(bool with_places) : with_places_(with_places) {}

  std::string Take() { return std::move(out_); }

  void Body(llvm::ArrayRef<const Stmt*> body, int depth) {
    for (const Stmt* stmt : body) Statement(*stmt, depth);
  }

  void Expression(const Expr* expr) {
    if (expr == nullptr) {
      out_ += "_";
      return;
    }
    switch (expr->kind) {
      case PythonExprKind::kName:
        out_ += expr->text;
        break;
      case PythonExprKind::kInteger:
      case PythonExprKind::kFloat:
      case PythonExprKind::kString:
        Literal(expr->text);
        break;
      case PythonExprKind::kFormatted: {
        const bool was_formatted = in_formatted_;
        in_formatted_ = true;
        List("formatted", expr->items);
        in_formatted_ = was_formatted;
        break;
      }
      case PythonExprKind::kTrue:
        out_ += "True";
        break;
      case PythonExprKind::kFalse:
        out_ += "False";
        break;
      case PythonExprKind::kNone:
        out_ += "None";
        break;
      case PythonExprKind::kEllipsis:
        out_ += "...";
        break;
      case PythonExprKind::kAttribute:
        out_ += "(. ";
        Expression(expr->left);
        out_ += " ";
        out_ += expr->text;
        out_ += ")";
        break;
      case PythonExprKind::kCall:
        out_ += "(call ";
        Expression(expr->left);
        Arguments(expr->arguments);
        out_ += ")";
        break;
      case PythonExprKind::kSubscript: {
        // `x[a, b]` and `x[(a, b)]` are one to Python.
        const bool is_tuple = expr->items.size() == 1 &&
                              expr->items[0]->kind == PythonExprKind::kTuple &&
                              !expr->items[0]->items.empty();
        out_ += "([] ";
        Expression(expr->left);
        for (const Expr* item : is_tuple ? expr->items[0]->items : expr->items) {
          out_ += " ";
          Expression(item);
        }
        out_ += ")";
        break;
      }
      case PythonExprKind::kSlice:
        Parts(":", {expr->left, expr->right, expr->third});
        break;
      case PythonExprKind::kUnary:
        Parts(expr->text, {expr->left});
        break;
      case PythonExprKind::kNot:
        Parts("not", {expr->left});
        break;
      case PythonExprKind::kBinary:
        Parts(expr->text, {expr->left, expr->right});
        break;
      case PythonExprKind::kCompare:
        out_ += "(compare";
        for (size_t i = 0; i < expr->items.size(); ++i) {
          out_ += " ";
          if (i > 0) {
            out_ += kCompareNames[static_cast<size_t>(expr->operators[i - 1])];
            out_ += " ";
          }
          Expression(expr->items[i]);
        }
        out_ += ")";
        break;
      case PythonExprKind::kAnd:
        List("and", expr->items);
        break;
      case PythonExprKind::kOr:
        List("or", expr->items);
        break;
      case PythonExprKind::kConditional:
        Parts("if", {expr->third, expr->left, expr->right});
        break;
      case PythonExprKind::kLambda:
        out_ += "(lambda ";
        Parameters(expr->parameters);
        out_ += " ";
        Expression(expr->left);
        out_ += ")";
        break;
      case PythonExprKind::kTuple:
        List("tuple", expr->items);
        break;
      case PythonExprKind::kList:
        List("list", expr->items);
        break;
      case PythonExprKind::kSet:
        List("set", expr->items);
        break;
      case PythonExprKind::kDict:
        List("dict", expr->items);
        break;
      case PythonExprKind::kListComprehension:
        Comprehension("list-of", *expr);
        break;
      case PythonExprKind::kSetComprehension:
        Comprehension("set-of", *expr);
        break;
      case PythonExprKind::kGeneratorExpression:
        Comprehension("generator-of", *expr);
        break;
      case PythonExprKind::kDictComprehension:
        Comprehension("dict-of", *expr);
        break;
      case PythonExprKind::kStarred:
        Parts("*", {expr->left});
        break;
      case PythonExprKind::kAwait:
        Parts("await", {expr->left});
        break;
      case PythonExprKind::kYield:
        if (expr->left == nullptr) {
          out_ += "(yield)";
        } else {
          Parts("yield", {expr->left});
        }
        break;
      case PythonExprKind::kYieldFrom:
        Parts("yield-from", {expr->left});
        break;
      case PythonExprKind::kNamed:
        Parts(":=", {expr->left, expr->right});
        break;
      case PythonExprKind::kUnreadable:
        out_ += "(unreadable)";
        break;
    }
    Place(expr->span);
  }

 private:
  void Place(ByteSpan span) {
    if (!with_places_ || in_formatted_) return;
    out_ += "@" + std::to_string(span.begin) + "-" + std::to_string(span.end);
  }

  void Literal(std::string_view text) {
    if (in_formatted_) {
      out_ += "_";
      return;
    }
    for (const char c : text) {
      if (c == '\n') {
        out_ += "\\n";
      } else if (c != '\r') {
        out_ += c;
      }
    }
  }

  void List(std::string_view name, llvm::ArrayRef<const Expr*> items) {
    out_ += "(";
    out_ += name;
    for (const Expr* item : items) {
      out_ += " ";
      Expression(item);
    }
    out_ += ")";
  }

  void Parts(std::string_view name, std::initializer_list<const Expr*> parts) {
    List(name, llvm::ArrayRef<const Expr*>(parts.begin(), parts.size()));
  }

  void Arguments(llvm::ArrayRef<CallArgument> arguments) {
    for (const CallArgument& argument : arguments) {
      out_ += " ";
      if (!argument.keyword.empty()) {
        out_ += "(= ";
        out_ += argument.keyword;
        out_ += " ";
        Expression(argument.value);
        out_ += ")";
      } else if (argument.stars > 0) {
        Parts(argument.stars == 1 ? "*" : "**", {argument.value});
      } else {
        Expression(argument.value);
        continue;
      }
      Place(argument.span);
    }
  }

  void Parameters(llvm::ArrayRef<Parameter> parameters) {
    constexpr std::string_view kKinds[] = {"/", "", "*", "key", "**"};
    out_ += "(parameters";
    for (const Parameter& parameter : parameters) {
      const std::string_view kind = kKinds[static_cast<size_t>(parameter.kind)];
      out_ += " (";
      if (!kind.empty()) {
        out_ += kind;
        out_ += " ";
      }
      out_ += parameter.name;
      if (parameter.annotation != nullptr) {
        out_ += " : ";
        Expression(parameter.annotation);
      }
      if (parameter.default_value != nullptr) {
        out_ += " = ";
        Expression(parameter.default_value);
      }
      out_ += ")";
    }
    out_ += ")";
  }

  void Comprehension(std::string_view name, const Expr& expr) {
    out_ += "(";
    out_ += name;
    out_ += " ";
    Expression(expr.left);
    if (expr.right != nullptr) {
      out_ += " ";
      Expression(expr.right);
    }
    for (const ComprehensionClause& clause : expr.clauses) {
      out_ += " (for ";
      Expression(clause.target);
      out_ += " ";
      Expression(clause.iterable);
      for (const Expr* condition : clause.conditions) {
        out_ += " (if ";
        Expression(condition);
        out_ += ")";
      }
      out_ += ")";
    }
    out_ += ")";
  }

  void BeginLine(int depth, std::string_view head) {
    out_.append(static_cast<size_t>(depth) * 2, ' ');
    out_ += head;
  }

  void Then(const Expr* expr) {
    out_ += " ";
    Expression(expr);
  }

  void Labelled(std::string_view label, llvm::ArrayRef<const Stmt*> body, int depth) {
    if (body.empty()) return;
    BeginLine(depth, label);
    out_ += "\n";
    Body(body, depth + 1);
  }

  void Branches(llvm::ArrayRef<Branch> branches, std::string_view label, int depth) {
    for (const Branch& branch : branches) {
      BeginLine(depth, label);
      if (branch.test != nullptr) Then(branch.test);
      if (!branch.name.empty()) {
        out_ += " as ";
        out_ += branch.name;
      }
      out_ += "\n";
      Body(branch.body, depth + 1);
    }
  }

  void Statement(const Stmt& stmt, int depth) {
    const size_t begin = out_.size();
    const std::string async = stmt.is_async ? "async-" : "";
    for (const Expr* decorator : stmt.decorators) {
      BeginLine(depth, "@");
      Then(decorator);
      out_ += "\n";
    }
    switch (stmt.kind) {
      case StmtKind::kExpression:
        BeginLine(depth, "do");
        Then(stmt.value);
        break;
      case StmtKind::kAssign:
        BeginLine(depth, "=");
        for (const Expr* target : stmt.targets) Then(target);
        Then(stmt.value);
        break;
      case StmtKind::kAugmented:
        BeginLine(depth, std::string(stmt.text) + "=");
        Then(stmt.targets[0]);
        Then(stmt.value);
        break;
      case StmtKind::kAnnotated:
        BeginLine(depth, ":");
        Then(stmt.targets[0]);
        Then(stmt.annotation);
        if (stmt.value != nullptr) Then(stmt.value);
        break;
      case StmtKind::kReturn:
        BeginLine(depth, "return");
        if (stmt.value != nullptr) Then(stmt.value);
        break;
      case StmtKind::kIf:
      case StmtKind::kWhile:
        BeginLine(depth, stmt.kind == StmtKind::kIf ? "if" : "while");
        Then(stmt.value);
        break;
      case StmtKind::kFor:
        BeginLine(depth, async + "for");
        Then(stmt.targets[0]);
        Then(stmt.value);
        break;
      case StmtKind::kWith:
        BeginLine(depth, async + "with");
        for (const WithItem& item : stmt.with_items) {
          Then(item.context);
          if (item.target == nullptr) continue;
          out_ += " as";
          Then(item.target);
        }
        break;
      case StmtKind::kTry:
        BeginLine(depth, "try");
        break;
      case StmtKind::kRaise:
        BeginLine(depth, "raise");
        if (stmt.value != nullptr) Then(stmt.value);
        if (stmt.cause != nullptr) {
          out_ += " from";
          Then(stmt.cause);
        }
        break;
      case StmtKind::kAssert:
        BeginLine(depth, "assert");
        Then(stmt.value);
        if (stmt.message != nullptr) Then(stmt.message);
        break;
      case StmtKind::kDelete:
        BeginLine(depth, "del");
        for (const Expr* target : stmt.targets) Then(target);
        break;
      case StmtKind::kPass:
        BeginLine(depth, "pass");
        break;
      case StmtKind::kBreak:
        BeginLine(depth, "break");
        break;
      case StmtKind::kContinue:
        BeginLine(depth, "continue");
        break;
      case StmtKind::kGlobal:
      case StmtKind::kNonlocal:
        BeginLine(depth, stmt.kind == StmtKind::kGlobal ? "global" : "nonlocal");
        for (const std::string_view name : stmt.names) (out_ += " ") += name;
        break;
      case StmtKind::kImport:
      case StmtKind::kImportFrom:
        BeginLine(depth, stmt.kind == StmtKind::kImport ? "import" : "from ");
        out_.append(stmt.dots, '.');
        out_ += stmt.text;
        for (const ImportedName& name : stmt.imports) {
          (out_ += " ") += name.name;
          if (!name.as.empty()) (out_ += " as ") += name.as;
        }
        break;
      case StmtKind::kFunction:
        BeginLine(depth, async + "function ");
        out_ += stmt.text;
        out_ += " ";
        Parameters(stmt.parameters);
        if (stmt.returns != nullptr) {
          out_ += " ->";
          Then(stmt.returns);
        }
        break;
      case StmtKind::kClass:
        BeginLine(depth, "class ");
        out_ += stmt.text;
        Arguments(stmt.arguments);
        break;
      case StmtKind::kMatch:
        BeginLine(depth, "match");
        Then(stmt.value);
        break;
      case StmtKind::kUnreadable:
        BeginLine(depth, "unreadable");
        break;
    }
    if (out_.size() > begin && with_places_) {
      out_ += " ";
      Place(stmt.span);
    }
    out_ += "\n";
    Body(stmt.body, depth + 1);
    Branches(stmt.handlers, stmt.kind == StmtKind::kMatch ? "case" : "except", depth);
    Labelled("else", stmt.orelse, depth);
    Labelled("finally", stmt.finally, depth);
  }

  std::string out_;
  bool with_places_;
  bool in_formatted_ = false;
};

}  // namespace

std::string ExprText(const Expr& expr, bool with_places) {
  Printer printer(with_places);
  printer.Expression(&expr);
  return printer.Take();
}

std::string TreeText(llvm::ArrayRef<const Stmt*> body, bool with_places) {
  Printer printer(with_places);
  printer.Body(body, 0);
  return printer.Take();
}

}  // namespace shapewise
