// Polls instead of sleeping, for events that are expected within microseconds: waking a sleeping
// thread takes 50 us and more.
#pragma once

#include <chrono>
#include <thread>

namespace tl {

/// Calls condition() again and again until it returns true or `limit` has passed, and lets other
/// threads run in between.
template <class Condition>
void spin_until(const Condition& condition, std::chrono::microseconds limit) {
    auto end = std::chrono::steady_clock::now() + limit;
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

}  // namespace tl
