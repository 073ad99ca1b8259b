package dev.quire.spring.internal.fields;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Addresses whose announced capabilities are trusted. Never resolves host names. */
public record TrustedProxies(List<Block> blocks) {

    /** The first {@code prefix} bits of {@code address}. */
    record Block(InetAddress address, int prefix) {

        boolean holds(InetAddress other) {
            byte[] ours = address.getAddress();
            byte[] theirs = other.getAddress();
            if (ours.length != theirs.length) {
                return false;
            }
            for (int bit = 0; bit < prefix; bit++) {
                int mask = 0x80 >> (bit & 7);
                if (((ours[bit >> 3] ^ theirs[bit >> 3]) & mask) != 0) {
                    return false;
                }
            }
            return true;
        }
    }

    public TrustedProxies {
        blocks = List.copyOf(blocks);
    }

    /**
     * Parses addresses and CIDR blocks.
     *
     * @throws IllegalArgumentException naming the property and the malformed entry
     */
    public static TrustedProxies of(List<String> texts) {
        var blocks = new ArrayList<Block>(texts.size());
        for (var text : texts) {
            blocks.add(
                    block(text)
                            .orElseThrow(() ->
                                    new IllegalArgumentException(
                                            "quire.trusted-proxies: '%s' is not an address or CIDR block (expected for example 10.0.0.0/8)"
                                                    .formatted(text))));
        }
        return new TrustedProxies(blocks);
    }

    /** Whether the peer at {@code address}, in textual form, is trusted. */
    public boolean trust(String address) {
        return literal(address)
                .filter(peer -> blocks.stream().anyMatch(block -> block.holds(peer)))
                .isPresent();
    }

    private static Optional<Block> block(String text) {
        int slash = text.indexOf('/');
        var address = literal(slash < 0 ? text : text.substring(0, slash));
        if (address.isEmpty()) {
            return Optional.empty();
        }
        int bits = address.get().getAddress().length * 8;
        if (slash < 0) {
            return Optional.of(new Block(address.get(), bits));
        }
        var digits = text.substring(slash + 1);
        if (!digits.matches("\\d{1,3}") || Integer.parseInt(digits) > bits) {
            return Optional.empty();
        }
        return Optional.of(new Block(address.get(), Integer.parseInt(digits)));
    }

    private static Optional<InetAddress> literal(String text) {
        int zone = text.indexOf('%');
        var address = zone < 0 ? text : text.substring(0, zone);
        // anything else would be resolved as a host name
        if (!address.matches("\\d{1,3}(\\.\\d{1,3}){3}|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")) {
            return Optional.empty();
        }
        try {
            return Optional.of(InetAddress.getByName(address));
        } catch (UnknownHostException malformed) {
            return Optional.empty();
        }
    }
}
