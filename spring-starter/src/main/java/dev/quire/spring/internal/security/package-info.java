/** Spring Security: what it reads, CSRF fragments, and remembered logins. */
@NullMarked
package dev.quire.spring.internal.security;

import org.jspecify.annotations.NullMarked;
