#include "accel/parallel/read_progress.h"

#include <utility>

namespace tl {
namespace {

thread_local std::function<void(double)> observer;
thread_local ReadProgress::Worked observer_of_work;

}  // namespace

ReadProgress::ReadProgress(std::function<void(double share)> told, Worked worked) {
    observer = std::move(told);
    observer_of_work = std::move(worked);
}

ReadProgress::~ReadProgress() {
    observer = nullptr;
    observer_of_work = nullptr;
}

void tell_read(double share) {
    if (observer) observer(share);
}

void tell_work(const char* what, double share) {
    if (observer_of_work) observer_of_work(what, share);
}

}  // namespace tl
