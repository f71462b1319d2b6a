// The newest events of random input, which are printed where the program fails: by a crash, by a
// fault that a sanitizer finds, or since the interface has not answered for long.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

/// One may exist at a time.
class EventLog {
  public:
    /// From now on fatal signals print the log before they end the program. `limit`: seconds that
    /// may pass between two calls of add(), or the program ends in the same way; 0: any.
    EventLog(std::uint64_t seed, unsigned limit);
    ~EventLog();
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    void add(const std::string& event);
    /// Prints the seed and the newest events to standard error. May be called in a handler of a
    /// signal.
    static void print();

  private:
    unsigned limit_;
};

}  // namespace tl
