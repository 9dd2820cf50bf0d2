#include "result/advice.h"

#include "support/enum_name.h"
#include "support/text_scan.h"

namespace shapewise {

std::string_view PasteAtName(PasteAt at) {
  return EnumName<PasteAt::kDecorator>(
      at, {"", "environment", "config", "compile_call", "before_call", "decorator"});
}

std::string ConfigOfVariable(std::string_view assignment) {
  ConsumeFront(assignment, "export ");
  const std::string_view name = assignment.substr(0, assignment.find('='));
  std::string_view setting;
  if (name == "TORCH_COMPILE_DYNAMIC_SOURCES") setting = "dynamic_sources";
  if (name == "TORCH_COMPILE_UNBACKED_SOURCES") setting = "unbacked_sources";
  if (setting.empty()) return {};
  return "torch.compiler.config." + std::string(setting) + " = " +
         std::string(assignment.substr(name.size() + 1));
}

}  // namespace shapewise
