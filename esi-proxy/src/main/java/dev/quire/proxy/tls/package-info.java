/** Certificates, keys and TLS contexts, for clients and for origins. */
@NullMarked
package dev.quire.proxy.tls;

import org.jspecify.annotations.NullMarked;
