// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "qpfsm.h"

#define REFUSE RXE_QPA_REFUSE
#define ACCEPT RXE_QPA_ACCEPT
#define HOLD RXE_QPA_HOLD
#define FLUSH RXE_QPA_FLUSH
#define TO_ERR RXE_QPA_TO_ERR

/* IBTA 10.3.1, one row per state; columns in the order of enum rxe_qp_event */
static const u8 action[RXE_QPS_COUNT][RXE_QPE_COUNT] = {
	[RXE_QPS_RESET] = { REFUSE, REFUSE, HOLD, HOLD, REFUSE, REFUSE, REFUSE,
			    REFUSE },
	[RXE_QPS_INIT] = { REFUSE, ACCEPT, HOLD, HOLD, REFUSE, REFUSE, REFUSE,
			   REFUSE },
	[RXE_QPS_RTR] = { REFUSE, ACCEPT, HOLD, HOLD, ACCEPT, REFUSE, REFUSE,
			  TO_ERR },
	[RXE_QPS_RTS] = { ACCEPT, ACCEPT, ACCEPT, ACCEPT, ACCEPT, ACCEPT,
			  TO_ERR, TO_ERR },
	[RXE_QPS_SQD] = { ACCEPT, ACCEPT, HOLD, ACCEPT, ACCEPT, ACCEPT, TO_ERR,
			  TO_ERR },
	[RXE_QPS_SQE] = { ACCEPT, ACCEPT, FLUSH, FLUSH, ACCEPT, REFUSE, REFUSE,
			  TO_ERR },
	[RXE_QPS_ERR] = { ACCEPT, ACCEPT, FLUSH, FLUSH, REFUSE, REFUSE, REFUSE,
			  REFUSE },
};

/**
 * rxe_qp_react() - what a QP in @state does about @event
 * @state: state of the QP
 * @event: what happened
 * @connected: RC; UC and UD survive a failed send in SQE (IBTA 10.3.1.5)
 *
 * Context: any.
 * Return: the action, IBTA 10.3.1 and figure 124.
 */
enum rxe_qp_action rxe_qp_react(enum rxe_qp_state state,
				enum rxe_qp_event event, bool connected)
{
	enum rxe_qp_action act;

	if ((u32)state >= RXE_QPS_COUNT || (u32)event >= RXE_QPE_COUNT)
		return RXE_QPA_REFUSE;

	act = action[state][event];
	if (event == RXE_QPE_SEND_ERROR && act == RXE_QPA_TO_ERR && !connected)
		return RXE_QPA_TO_SQE;
	return act;
}
