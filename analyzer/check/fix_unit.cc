// Fixes in a project: finds the code of a fact.

#include "check/file_view.h"
#include "check/fixes.h"

namespace shapewise {
namespace {

size_t ModuleBegin(const SourceFile& file) {
  return file.outline.module.empty() ? 0 : file.outline.module.front().begin;
}

/// The start of the outermost class or function around function `index` of a file.
size_t OutermostBegin(const SourceFile& file, size_t index) {
  const OutlinedFunction& function = file.outline.functions[index];
  size_t begin = function.span.begin;
  for (int32_t in_class = function.in_class; in_class >= 0;
       in_class = file.outline.classes[static_cast<size_t>(in_class)].in_class)
    begin = file.outline.classes[static_cast<size_t>(in_class)].span.begin;
  return begin;
}

}  // namespace

FixMaker::FixMaker(Project& project, FileId file)
    : FixMaker(project.files()[file].text, project.ModuleTree(file),
               ModuleBegin(project.files()[file])) {}

FixUnit UnitOf(Project& project, const Fact& fact) {
  const SourceFile& file = project.files()[fact.file];
  FixUnit unit;
  if (fact.function == kNoId) {
    unit.begin = ModuleBegin(file);
    return unit;
  }
  const SourceFunction& function = project.function(fact.function);
  unit.function = project.Tree(fact.function);
  unit.begin = function.begin;
  unit.outermost = OutermostBegin(file, fact.function - file.first_function);
  if (function.in_class != kNoId) {
    const FunctionId init = project.FindMethod(function.in_class, "__init__");
    if (init != kNoId) {
      const SourceFunction& made = project.function(init);
      unit.init = project.Tree(init);
      unit.init_text = project.files()[made.file].text.substr(made.begin);
    }
  }
  return unit;
}

}  // namespace shapewise
