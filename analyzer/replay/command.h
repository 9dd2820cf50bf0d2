// The commands of shapewise-replay with their arguments. engine.cc parses the command line.

#ifndef SHAPEWISE_REPLAY_COMMAND_H_
#define SHAPEWISE_REPLAY_COMMAND_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "replay/session.h"

namespace shapewise::replay {

/// The result of every function here.
enum ExitStatus : int {
  kDone = 0,
  kDiffers = 1,  ///< results differ
  kTrouble = 2,  ///< failed, completely or in part
};

/// info: shows what a program is, and how much of it can be replayed.
int PrintInfo(const SessionOptions& options);

/// run: runs a program once, and reports which statements could not be run.
struct RunArguments {
  SessionOptions session;
  std::string outputs;      ///< --outputs
  std::string save_inputs;  ///< --save-inputs
};
int RunOnce(const RunArguments& arguments);

/// curve: measures the cost of a call at several sizes.
struct CurveArguments {
  SessionOptions session;
  TimingOptions timing;
  std::string symbol;  ///< or several: "s0,s1"
  std::vector<int64_t> sizes;
  bool as_csv = false;
};
int MeasureCurve(const CurveArguments& arguments);

/// serve: answers requests for the cost of a call at a size.
struct ServeArguments {
  SessionOptions session;
  TimingOptions timing;
};
int Serve(const ServeArguments& arguments);

/// pad: compares results with real and with padded inputs.
struct PadArguments {
  SessionOptions session;
  std::string symbol;              ///< or several: "s0,s1"
  int64_t size = 0;                ///< --size
  int64_t padded_size = 0;         ///< --to
  std::vector<std::string> fills;  ///< --fill INPUT=NUMBER
  double tolerance = -1;           ///< --tolerance; negative: by dtype
};
int ComparePadded(const PadArguments& arguments);

/// overhead: measures the interpreter's overhead per operator, on a CPU.
struct OverheadArguments {
  size_t operators = 1000;  ///< length of the chain that is run
  size_t rounds = 300;
};
int MeasureOverhead(const OverheadArguments& arguments);

}  // namespace shapewise::replay

#endif  // SHAPEWISE_REPLAY_COMMAND_H_
