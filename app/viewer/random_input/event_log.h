// Log of the newest events of random input. It is printed when the program fails: by a crash, a
// sanitizer's report, or an interface that has not answered for long.
#pragma once

#include <cstdint>
#include <string>

namespace tl {

/// Only one may exist at a time.
class EventLog {
  public:
    /// Makes fatal signals print the log before they end the program. `limit`: maximum seconds
    /// between two calls of add(), after which the program ends in the same way; 0: none.
    EventLog(std::uint64_t seed, unsigned limit);
    ~EventLog();
    EventLog(const EventLog&) = delete;
    EventLog& operator=(const EventLog&) = delete;

    void add(const std::string& event);
    /// Prints the seed and the newest events to standard error. May be called in a signal handler.
    static void print();

  private:
    unsigned limit_;
};

}  // namespace tl
