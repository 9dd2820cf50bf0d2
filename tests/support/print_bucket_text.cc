// Prints a plan as text to paste, so that the programs that take it can be tried on it whatever
// the planner chooses:
//
//   print_bucket_text CONSUMER MODE ALIGNMENT BUCKETS [FIRST-LAST:KIND ...]
//
// BUCKETS: sizes with commas between them, of more dims with an x: 16,32 or 8x16,8x32; "-": none.
// FIRST-LAST:KIND: sizes that mode "mixed" serves otherwise, KIND as ServingKindName() has it.
//
//   print_bucket_text FORM sample|hostile [DIMS]
//
// The same, or a form of --format, of a plan with everything in it; "hostile": with texts that try
// to break out of what they are printed in.

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "unit/report/sample_bucket_report.h"

namespace shapewise {
namespace {

Sizes ParseSizes(llvm::StringRef text, size_t& dims) {
  Sizes sizes{1, 1, 1};
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, 'x');
  dims = std::min(parts.size(), sizes.size());
  for (size_t i = 0; i < dims; ++i) parts[i].getAsInteger(10, sizes[i]);
  return sizes;
}

BucketMode ParseMode(std::string_view name) {
  for (const BucketMode mode : {BucketMode::kDynamic, BucketMode::kStatic, BucketMode::kMixed}) {
    if (BucketModeName(mode) == name) return mode;
  }
  return BucketMode::kBuckets;
}

ServedSizes ParseServed(llvm::StringRef text) {
  const auto [range, kind] = text.split(':');
  const auto [first, last] = range.split('-');
  ServedSizes served;
  first.getAsInteger(10, served.first);
  last.getAsInteger(10, served.last);
  for (const ServingKind one :
       {ServingKind::kBucket, ServingKind::kDynamic, ServingKind::kAlignedDynamic,
        ServingKind::kDynamicRange, ServingKind::kCaptured, ServingKind::kEager}) {
    if (ServingKindName(one) == std::string_view(kind.data(), kind.size())) served.kind = one;
  }
  return served;
}

int PrintSample(int count, char** arguments) {
  const BucketFormat* format = FindFormat(BucketFormats(), arguments[1]);
  if (format == nullptr) format = FindFormat(BucketEmitters(), arguments[1]);
  if (format == nullptr) return 2;
  BucketReport report =
      llvm::StringRef(arguments[2]) == "hostile" ? HostileBucketReport() : SampleBucketReport();
  if (count > 3) llvm::StringRef(arguments[3]).getAsInteger(10, report.dims);
  ReportOptions options;
  options.all = true;
  llvm::outs() << WrittenBy(*format, report, options);
  return 0;
}

int Main(int count, char** arguments) {
  if (count == 3 || count == 4) return PrintSample(count, arguments);
  const BucketFormat* emitter = count < 5 ? nullptr : FindFormat(BucketEmitters(), arguments[1]);
  if (emitter == nullptr) {
    llvm::errs() << "usage: print_bucket_text CONSUMER MODE ALIGNMENT BUCKETS [FIRST-LAST:KIND]\n";
    return 2;
  }
  size_t dims = 1;
  std::vector<Sizes> sizes;
  llvm::SmallVector<llvm::StringRef> buckets;
  if (llvm::StringRef(arguments[4]) != "-") llvm::StringRef(arguments[4]).split(buckets, ',');
  for (const llvm::StringRef bucket : buckets) sizes.push_back(ParseSizes(bucket, dims));
  BucketReport report = PlanOf(ParseMode(arguments[2]), dims, std::move(sizes));
  llvm::StringRef(arguments[3]).getAsInteger(10, report.alignment);
  for (int i = 5; i < count; ++i) report.served.push_back(ParseServed(arguments[i]));
  llvm::outs() << WrittenBy(*emitter, report);
  return 0;
}

}  // namespace
}  // namespace shapewise

int main(int count, char** arguments) { return shapewise::Main(count, arguments); }
