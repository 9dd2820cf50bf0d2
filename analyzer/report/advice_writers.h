// The formats of advice, one file each, and shared functions.

#ifndef SHAPEWISE_REPORT_ADVICE_WRITERS_H_
#define SHAPEWISE_REPORT_ADVICE_WRITERS_H_

#include "report/render.h"
#include "shapewise/report/advice_writer.h"

namespace shapewise {

DocumentFormats<Advice, Session>::Describe DescribeAdvice;
AdviceFormat::Function WriteAdviceJson;
AdviceFormat::Function WriteAdvicePatch;
AdviceFormat::Function WriteAdviceEnvironment;
AdviceFormat::Function WriteAdviceConfig;

/// A saving in words: "3 of 4 compiles, 2.1 s of compiling"; empty: unknown.
std::string SavingText(const std::optional<Saving>& saving);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_ADVICE_WRITERS_H_
