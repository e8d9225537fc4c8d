package main

// A tenant is whom all locks of some folder belong to, and by whose word at most
// one pid namespace at a time uses them. Its name stands in an identity in the
// place of the machine, since neither the name of a host nor its machine id, nor
// the boot, outlives a container that is made anew or moved. Only Linux has pid
// namespaces, and only there it has a meaning.
const (
	tenantVariable = "REGISTRY_LOCK_TENANT"
	tenantRule     = "1 to 64 characters out of A-Z a-z 0-9 . _ -"
)

// isTenant: no name is no tenant.
func isTenant(name string) bool {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return len(name) <= 64 && madeOf(name, letters)
}

func (me viewpoint) ofTenant(name string) viewpoint {
	if name != "" && me.source == fromLinux {
		me.tenant = hash50("tenant", name)
	}
	return me
}

// recorded is the scope of an identity that is told from here.
func (me viewpoint) recorded() scope {
	at := me.scope
	if me.tenant != 0 {
		at.source, at.machine = fromTenant, me.tenant
	}
	return at
}

// compareTenants relates the scope of a tenant's record to the asker's. A pid
// namespace is told by boot and number. Numbers are used again: where the number
// is the asker's own, and the boot the same or the tenant the same, what is seen
// here decides: either it is that namespace, or that one is no more, and nothing
// here has the start time of what ended with it.
func compareTenants(recorded scope, me viewpoint) (relation, string) {
	ours := me.tenant == recorded.machine
	switch {
	case me.source != fromLinux:
		return unrelated, whySource
	case !me.known:
		return unrelated, me.why
	case recorded.boot != me.boot && !ours:
		return unrelated, whyBoot
	case recorded.pidns == me.pidns && recorded.timens == me.timens:
		return sameScope, ""
	case recorded.pidns == me.pidns:
		return unrelated, whyTimeNS
	case ours:
		return earlierNamespace, ""
	}
	return unrelated, whyPIDNS
}
