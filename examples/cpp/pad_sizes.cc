// Prints the sizes to pad to for the lengths in a file, as a serving program would load them.
//
//   pad_sizes LENGTHS

#include <shapewise/analyze.h>

#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: pad_sizes LENGTHS\n";
    return 2;
  }
  using namespace shapewise::api;
  const Document document = Buckets({.paths = {argv[1]}, .max_buckets = 8});
  for (const Message& message : document.messages()) {
    std::cerr << SeverityName(message.severity) << ": " << message.text << "\n";
  }
  const BucketPlan* plan = document.plan();
  if (plan == nullptr) return static_cast<int>(Status::kTrouble);
  for (const auto& sizes : plan->buckets) std::cout << sizes.front() << "\n";
  std::cerr << plan->why << "\n";
  return 0;
}
