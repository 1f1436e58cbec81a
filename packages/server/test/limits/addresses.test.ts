import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AddressRanges } from "../../src/config/address-ranges.ts";
import { trustedProxies } from "../../src/config/trusted-proxies.ts";
import { addressKey } from "../../src/transport/limits/address-key.ts";
import { ClientAddresses } from "../../src/transport/limits/client-addresses.ts";

describe("the key of an address", () => {
  const keys: [string, string][] = [
    ["203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:4711", "203.0.113.7"],
    ["::ffff:203.0.113.7", "203.0.113.7"],
    ["::FFFF:203.0.113.7", "203.0.113.7"],
    ["::ffff:cb00:7107", "203.0.113.7"],
    ["0:0:0:0:0:ffff:203.0.113.7", "203.0.113.7"],
    ["[::ffff:203.0.113.7]:443", "203.0.113.7"],
    ["64:ff9b::203.0.113.7", "64:ff9b:0:0::/64"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"],
    ["[2001:db8:1:2::9]:443", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["::", "0:0:0:0::/64"],
    ["unknown", "unknown"],
    ["1:2", "1:2"],
    ["1::2::3", "1::2::3"],
  ];
  test("[LM8] IPv4 addresses count separately, IPv6 addresses by their network", () => {
    for (const [address, key] of keys) assert.equal(addressKey(address, 64), key, address);
  });

  test("[LM8] the prefix of IPv6 addresses is a setting", () => {
    assert.equal(addressKey("2001:db8:1:2ff:3::", 56), addressKey("2001:db8:1:200::", 56));
    assert.notEqual(addressKey("2001:db8:1:2ff::", 56), addressKey("2001:db8:1:300::", 56));
    assert.notEqual(addressKey("2001:db8::1", 128), addressKey("2001:db8::2", 128));
    assert.equal(addressKey("2001:db8::1", 128), "2001:db8:0:0:0:0:0:1/128");
  });

  test("[LM8] text that a proxy forwards instead of an address makes no long key", () => {
    assert.equal(addressKey("x".repeat(10_000), 64).length, 64);
    assert.equal(addressKey(`:${"x".repeat(10_000)}`, 64).length, 64);
  });
});

describe("trusted proxies", () => {
  const forwarded = (trustProxy: string, remote: string, header: string | undefined) => {
    const untrusted: string[] = [];
    const onUntrusted = (address: string) => void untrusted.push(address);
    const addresses = new ClientAddresses({
      trusts: trustedProxies(trustProxy)!,
      ipv6PrefixBits: 64,
      onUntrusted,
    });
    return { address: addresses.of(remote, header), untrusted, addresses };
  };

  const cases: [trustProxy: string, remote: string, header: string | undefined, address: string][] = [
    ["false", "192.0.2.1", "203.0.113.7", "192.0.2.1"],
    ["true", "192.0.2.1", undefined, "192.0.2.1"],
    ["true", "192.0.2.1", "203.0.113.7", "203.0.113.7"],
    ["true", "192.0.2.1", "198.51.100.9, 203.0.113.7", "203.0.113.7"],
    ["2", "192.0.2.1", "198.51.100.9, 203.0.113.7, 192.0.2.2", "203.0.113.7"],
    ["2", "192.0.2.1", "203.0.113.7", "203.0.113.7"],
    ["192.0.2.0/24", "::ffff:192.0.2.1", "198.51.100.9, 203.0.113.7,192.0.2.2", "203.0.113.7"],
    ["192.0.2.0/24", "198.51.100.1", "203.0.113.7", "198.51.100.1"],
    ["192.0.2.0/24", "192.0.2.1", "203.0.113.7:5555, 192.0.2.2:443", "203.0.113.7"],
    ["192.0.2.0/24, ::1", "::1", "2001:db8:1:2::3", "2001:db8:1:2::/64"],
  ];
  test("[LM8] the address is what a trusted proxy forwards, or the connected one", () => {
    for (const [trustProxy, remote, header, address] of cases)
      assert.equal(forwarded(trustProxy, remote, header).address, address, `${trustProxy} ${header}`);
  });

  test("[LM8] forwarded addresses of an untrusted proxy are reported, but not for every request", () => {
    const { untrusted, addresses } = forwarded("false", "192.0.2.1", "203.0.113.7");
    addresses.of("192.0.2.1", "203.0.113.8");
    assert.deepEqual(untrusted, ["192.0.2.1"]);
    assert.deepEqual(forwarded("true", "192.0.2.1", "203.0.113.7").untrusted, []);
  });

  test("only hop counts, addresses and ranges are accepted", () => {
    for (const wrong of ["0", "17", "-1", "nginx", "10.0.0.0/33", "::/129", "10.0.0.0/8,", "", "10.0.0"])
      assert.equal(trustedProxies(wrong), undefined, wrong);
  });

  test("a list of ranges contains its addresses", () => {
    const ranges = AddressRanges.parse("10.0.0.0/8, 2001:db8::/32, 192.0.2.7")!;
    for (const inside of ["10.255.0.1", "::ffff:10.0.0.1", "2001:db8:ff::1", "192.0.2.7"])
      assert.ok(ranges.has(inside), inside);
    for (const outside of ["11.0.0.1", "2001:db9::1", "192.0.2.8", "unknown", ""])
      assert.ok(!ranges.has(outside), outside);
  });
});
