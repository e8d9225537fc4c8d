package main

import (
	"strconv"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"
)

// nt opens a process by its number and asks the handle, which goes on meaning
// that process.
type nt struct{}

func thisSystem() system { return nt{} }

// look: "invalid parameter" alone says that no process has the number. An ended
// process whose handle somebody still holds can be opened, and is signalled.
func (nt) look(pid int) sighting {
	const access = windows.PROCESS_QUERY_LIMITED_INFORMATION | windows.SYNCHRONIZE
	process, err := windows.OpenProcess(access, false, uint32(pid))
	switch err {
	case nil:
	case windows.ERROR_INVALID_PARAMETER:
		return seenAbsent(whyNotRunning)
	case windows.ERROR_ACCESS_DENIED:
		return seenUnsure(whyNotPermitted)
	default:
		return seenUnsure(whyOddErrno)
	}
	defer windows.CloseHandle(process)
	return sight(process, pid)
}

// sight: OpenProcess ignores the two lowest bits of a number, so the handle is
// asked for it.
func sight(process windows.Handle, pid int) sighting {
	number, err := windows.GetProcessId(process)
	if err != nil || int(number) != pid {
		return seenUnsure(whyOddErrno)
	}
	var created, exited, kernel, user windows.Filetime
	if windows.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return seenUnsure(whyNotPermitted)
	}
	event, _ := windows.WaitForSingleObject(process, 0)
	switch event {
	case windows.WAIT_OBJECT_0:
		return seenAbsent(whyZombie)
	case uint32(windows.WAIT_TIMEOUT):
		start := uint64(created.HighDateTime)<<32 | uint64(created.LowDateTime)
		return seenPresent(start, whyRunning)
	}
	return seenUnsure(whyOddErrno)
}

// viewpoint: there is no random boot id, so the boot time needs the machine
// beside it, and an earlier boot is never proven.
func (nt) viewpoint() viewpoint {
	guid := machineGUID()
	host, err := windows.ComputerName()
	boot, ok := bootTime()
	if guid == "" || err != nil || host == "" || !ok {
		return nowhere(fromWindows, whyNoIdentity)
	}
	scope := scope{source: fromWindows, machine: hash50(guid, host), boot: hash50(boot)}
	return viewpoint{scope: scope, known: true, weakBoot: true}
}

func machineGUID() string {
	const access = registry.QUERY_VALUE | registry.WOW64_64KEY
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, access)
	if err != nil {
		return ""
	}
	defer key.Close()
	guid, _, err := key.GetStringValue("MachineGuid")
	if err != nil {
		return ""
	}
	return guid
}

// timeOfDay is SYSTEM_TIMEOFDAY_INFORMATION, all of its 48 bytes.
type timeOfDay struct {
	bootTime, currentTime, timeZoneBias int64
	timeZoneID, reserved                uint32
	bootTimeBias, sleepTimeBias         uint64
}

// bootTime is when the system was started, by the clock of that moment: setting
// the clock moves BootTime and BootTimeBias alike.
func bootTime() (string, bool) {
	var now timeOfDay
	err := windows.NtQuerySystemInformation(windows.SystemTimeOfDayInformation,
		unsafe.Pointer(&now), uint32(unsafe.Sizeof(now)), nil)
	if err != nil || now.bootTime == 0 {
		return "", false
	}
	return strconv.FormatInt(now.bootTime-int64(now.bootTimeBias), 36), true
}
