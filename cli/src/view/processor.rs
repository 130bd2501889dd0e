//! How long a thread has had a processor: what others take of it in between does not count.

use std::time::Duration;

/// What this thread has had so far; none where the system is not asked for it.
#[cfg(target_os = "linux")]
pub(super) fn time_of_this_thread() -> Option<Duration> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(Duration::new(now.tv_sec.try_into().ok()?, now.tv_nsec.try_into().ok()?))
}

/// What this thread has had so far; none where the system is not asked for it.
#[cfg(not(target_os = "linux"))]
pub(super) fn time_of_this_thread() -> Option<Duration> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn it_goes_on_with_work_and_stands_still_in_sleep() {
        let time = || time_of_this_thread().expect("Linux has it");
        let (asleep, start) = (Duration::from_millis(60), time());
        std::thread::sleep(asleep);
        let (begun, after_sleep) = (Instant::now(), time());
        assert!(after_sleep - start < asleep / 2, "{:?}", after_sleep - start);
        while time() - after_sleep < Duration::from_millis(5) {
            assert!(begun.elapsed() < Duration::from_secs(20), "it stands still");
        }
        // The two clocks are not one: they may be read a little apart.
        assert!(begun.elapsed() >= Duration::from_millis(4), "{:?}", begun.elapsed());
    }
}
