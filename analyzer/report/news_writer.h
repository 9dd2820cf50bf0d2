// Prints news of a running program, for people or programs.

#ifndef SHAPEWISE_REPORT_NEWS_WRITER_H_
#define SHAPEWISE_REPORT_NEWS_WRITER_H_

#include "llvm/Support/raw_ostream.h"
#include "result/news.h"

namespace shapewise {

/// Prints one piece of news: as one or two lines of text, or as one line of JSON, {"type":
/// "finding"} with "change" "new" or "worse", or {"type": "alarm"}.
void PrintNews(const RunNews& news, bool as_json, llvm::raw_ostream& out);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_NEWS_WRITER_H_
